import { type ReactNode, useState } from 'react';
import { useRead } from '../../data/queries.ts';
import { Answer, Button } from '../../design/index.ts';
import { LogLine } from './LogLine.tsx';
import styles from './Logs.module.css';
import { logsDocument } from './runDocuments.ts';
import type { StepRow } from './StepContent.tsx';

interface StepLogsProps {
  runId: string;
  step: StepRow;
  isLive: boolean;
  /** Shows them among all lines of the run. */
  onAll: () => void;
}

const lastLines = 100;

/** The last log lines of one attempt of a step. Nothing where the step logged nothing. */
export function StepLogs({ runId, step, isLive, onAll }: StepLogsProps): ReactNode {
  const [open, setOpen] = useState<number>();
  const read = useRead(
    logsDocument,
    { id: runId, size: lastLines, scope: step.name },
    { pollMs: isLive ? 2_000 : undefined },
  );
  const lines = read.data?.run?.logPage.nodes.filter(({ attempt }) => attempt === step.attempt) ?? [];
  if (read.data && lines.length === 0) return null;
  return (
    <section aria-label="Log lines of the step">
      <header className={styles['head']}>
        <h3>Logs</h3>
        <Button kind="quiet" onClick={onAll}>
          All lines
        </Button>
      </header>
      <Answer read={read} skeleton={{ rows: 1 }}>
        {() => (
          <ol className={styles['few']}>
            {lines.map((line) => (
              <li key={line.seq}>
                <LogLine
                  line={line}
                  isOpen={open === line.seq}
                  onToggle={() => setOpen(open === line.seq ? undefined : line.seq)}
                />
              </li>
            ))}
          </ol>
        )}
      </Answer>
    </section>
  );
}
