import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDownToLine } from 'lucide-react';
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import type { LogLevel } from '../../data/generated/graphql.ts';
import { usePages } from '../../data/queries.ts';
import { Answer, Button, Chip, Empty, Field, Panel, Select } from '../../design/index.ts';
import { type Line, LogLine } from './LogLine.tsx';
import styles from './Logs.module.css';
import { logsDocument } from './runDocuments.ts';
import type { RunSearch } from './runSearch.ts';

const levels = ['DEBUG', 'INFO', 'WARN', 'ERROR'];

interface LogsProps {
  id: string;
  isLive: boolean;
  search: RunSearch;
  onChange: (search: RunSearch) => void;
}

const pageSize = 1000;

/** The log lines of a run: the last ones first, older ones by a click. The service filters. */
export function Logs({ id, isLive, search, onChange }: LogsProps): ReactNode {
  const [isFollowing, setFollowing] = useState(isLive);
  const from = levels.indexOf((search.level ?? 'debug').toUpperCase());
  const isFiltered = from > 0 || Boolean(search.find) || Boolean(search.scope);
  const pages = usePages(
    logsDocument,
    {
      id,
      last: pageSize,
      levels: from > 0 ? (levels.slice(from) as LogLevel[]) : undefined,
      q: useDeferredValue(search.find),
      scope: search.scope,
    },
    { next: (page) => page.run?.logPage.nextBefore ?? undefined, pollMs: isLive ? 2_000 : undefined },
  );
  const lines = useMemo(
    () => [...(pages.data ?? [])].reverse().flatMap((page) => page.run?.logPage.nodes ?? []),
    [pages.data],
  );
  return (
    <Panel title="Logs" hasHiddenTitle isFlush>
      <div className={styles['tools']}>
        <Field
          label="Find in the lines"
          isBare
          type="search"
          placeholder="Find in the lines"
          maxLength={256}
          value={search.find ?? ''}
          onChange={(event) => onChange({ ...search, find: event.target.value || undefined })}
        />
        <Select
          label="Level"
          isBare
          value={search.level ?? 'debug'}
          options={[
            { value: 'debug', label: 'All levels' },
            { value: 'info', label: 'Info and worse' },
            { value: 'warn', label: 'Warnings and errors' },
            { value: 'error', label: 'Errors' },
          ]}
          onChoose={(level) => onChange({ ...search, level: level === 'debug' ? undefined : level })}
        />
        {search.scope && (
          <Chip name="scope" value={search.scope} onRemove={() => onChange({ ...search, scope: undefined })} />
        )}
        <Button icon={ArrowDownToLine} aria-pressed={isFollowing} onClick={() => setFollowing(!isFollowing)}>
          Follow
        </Button>
        <span className={styles['count']} role="status">
          {pages.hasMore ? `the last ${lines.length} lines` : `${lines.length} lines`}
        </span>
        {pages.hasMore && (
          <Button isBusy={pages.isLoadingMore} onClick={pages.loadMore}>
            Older lines
          </Button>
        )}
      </div>
      <Answer
        read={pages}
        skeleton={{ rows: 10, height: '1.75rem' }}
        isEmpty={() => lines.length === 0}
        nothingMatches={isFiltered && <Empty title="No line matches" />}
        empty={<Empty title="The run has logged nothing" />}
      >
        {() => <Lines lines={lines} isFollowing={isFollowing} onScope={(scope) => onChange({ ...search, scope })} />}
      </Answer>
    </Panel>
  );
}

interface LinesProps {
  lines: readonly Line[];
  isFollowing: boolean;
  onScope: (scope: string) => void;
}

function Lines({ lines, isFollowing, onScope }: LinesProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => 28,
    overscan: 20,
    getItemKey: (index) => lines[index]?.seq ?? index,
  });
  const last = lines.length - 1;
  useEffect(() => {
    if (isFollowing && last >= 0) virtualizer.scrollToIndex(last, { align: 'end' });
  }, [isFollowing, last, virtualizer]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls needs the keyboard.
    <div ref={box} className={styles['lines']} tabIndex={0} role="log" aria-label="Log lines" aria-live="off">
      <ol style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start, key }) => {
          const line = lines[index];
          if (!line) return null;
          return (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              className={styles['line']}
              style={{ top: start }}
            >
              <LogLine
                line={line}
                isOpen={open.has(line.seq)}
                onToggle={() => setOpen(toggled(open, line.seq))}
                onScope={onScope}
              />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function toggled(open: ReadonlySet<number>, seq: number): ReadonlySet<number> {
  const next = new Set(open);
  if (!next.delete(seq)) next.add(seq);
  return next;
}
