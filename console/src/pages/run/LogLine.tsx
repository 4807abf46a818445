import type { ReactNode } from 'react';
import { printExact } from '../../data/exactJson.ts';
import type { RunLogsQuery } from '../../data/generated/graphql.ts';
import { Badge, Button, Copy, classes, Time, type Tone, visibleText } from '../../design/index.ts';
import styles from './Logs.module.css';

const tones: Record<string, Tone> = { DEBUG: 'idle', INFO: 'busy', WARN: 'hold', ERROR: 'bad' };

export type Line = NonNullable<RunLogsQuery['run']>['logPage']['nodes'][number];

interface LogLineProps {
  line: Line;
  isOpen: boolean;
  onToggle: () => void;
  /** Shows only the lines of a step. */
  onScope?: (scope: string) => void;
}

/** A line of the log. Its fields, and all of a long message, unfold. */
export function LogLine({ line, isOpen, onToggle, onScope }: LogLineProps): ReactNode {
  const hasMore = line.fields != null || line.message.includes('\n') || line.message.length > 160;
  return (
    <>
      <button type="button" className={styles['row']} aria-expanded={hasMore ? isOpen : undefined} onClick={onToggle}>
        <span className={styles['time']}>
          <Time at={line.ts} />
        </span>
        <span className={styles['level']}>
          <Badge tone={tones[line.level] ?? 'idle'}>{line.level.toLowerCase()}</Badge>
        </span>
        <span className={styles['scope']}>{visibleText(line.scope)}</span>
        <span className={classes(styles['message'], isOpen && styles['whole'])}>{visibleText(line.message)}</span>
      </button>
      {isOpen && (
        <div className={styles['more']}>
          {line.fields != null && <pre>{visibleLines(printExact(line.fields, 2))}</pre>}
          <Copy
            key={line.seq}
            text={line.fields == null ? line.message : `${line.message} ${printExact(line.fields)}`}
            what="line"
          />
          {onScope && <Button onClick={() => onScope(line.scope)}>Only this scope</Button>}
        </div>
      )}
    </>
  );
}

/** A folded line that passes in a fast scroll: no more than can be seen then, to save time. */
export function PassingLine({ line }: { line: Line }): ReactNode {
  return (
    <p className={styles['row']}>
      <span className={styles['time']}>
        <Time at={line.ts} />
      </span>
      <span />
      <span className={styles['scope']}>{visibleText(line.scope)}</span>
      <span className={styles['message']}>{visibleText(line.message)}</span>
    </p>
  );
}

const visibleLines = (text: string): string => text.split('\n').map(visibleText).join('\n');
