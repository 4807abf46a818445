import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Answer, Empty, Panel } from '../../design/index.ts';
import { type Line, LogLine, PassingLine } from './LogLine.tsx';
import styles from './Logs.module.css';
import { LogTools } from './LogTools.tsx';
import type { RunSearch } from './runSearch.ts';
import { useDrawnRows, useFastScroll } from './useDrawnRows.ts';
import { useLogLines } from './useLogLines.ts';

interface LogsProps {
  id: string;
  isLive: boolean;
  search: RunSearch;
  onChange: (search: RunSearch) => void;
}

/** A jump to an end of the log. */
interface Jump {
  to: 'first' | 'last';
  /** Counts the jumps, so that a second one to the same end is another one. */
  time: number;
}

/** The log lines of a run, from either end on; more come by a click. */
export function Logs({ id, isLive, search, onChange }: LogsProps): ReactNode {
  const [isFollowing, setFollowing] = useState(isLive && search.from !== 'first');
  const [jump, setJump] = useState<Jump>();
  const { pages, lines, isFiltered } = useLogLines({ id, isLive, search });
  const isFromFirst = search.from === 'first';
  const jumpTo = (to: Jump['to']): void => {
    if (to === 'first') setFollowing(false);
    setJump((before) => ({ to, time: (before?.time ?? 0) + 1 }));
    // An end that has been read needs no other lines, unless lines are still to come.
    if (isFromFirst !== (to === 'first') && (pages.hasMore || isLive))
      onChange({ ...search, from: to === 'first' ? 'first' : undefined });
  };
  // Another order keeps the end in view. Other lines have no jump behind them.
  const choose = (next: RunSearch): void => {
    if (next.order === search.order) setJump(undefined);
    onChange(next);
  };
  const follow = (): void => {
    setFollowing(!isFollowing);
    if (!isFollowing) jumpTo('last');
  };
  const isNewestFirst = search.order === 'newest';
  const to = isFollowing ? 'last' : jump?.to;
  const scroll = to && {
    edge: (to === 'first') === isNewestFirst ? ('bottom' as const) : ('top' as const),
    cue: isFollowing ? String(lines.at(isNewestFirst ? 0 : -1)?.seq) : `${jump?.time} ${search.from} ${pages.isOld}`,
  };
  return (
    <Panel title="Logs" hasHiddenTitle isFlush>
      <LogTools
        {...{ search, pages, isFollowing }}
        count={lines.length}
        onChange={choose}
        onFollow={follow}
        onJump={jumpTo}
      />
      <Answer
        read={pages}
        skeleton={{ rows: 10, height: '1.75rem' }}
        isEmpty={() => lines.length === 0}
        nothingMatches={isFiltered && <Empty title="No line matches" />}
        empty={<Empty title="The run has logged nothing" />}
      >
        {() => <Lines lines={lines} scroll={scroll} onScope={(scope) => choose({ ...search, scope })} />}
      </Answer>
    </Panel>
  );
}

interface LinesProps {
  lines: readonly Line[];
  /** The edge that is scrolled into view, each time that the cue is another one. */
  scroll: { edge: 'top' | 'bottom'; cue: string } | undefined;
  onScope: (scope: string) => void;
}

function Lines({ lines, scroll, onScope }: LinesProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const fast = useFastScroll();
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLLIElement>({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => 28,
    overscan: fast.isFast ? 0 : 6,
    getItemKey: (index) => lines[index]?.seq ?? index,
  });
  const list = useRef<HTMLOListElement>(null);
  const items = virtualizer.getVirtualItems();
  const keys = useDrawnRows(items, box, fast, () => {
    virtualizer.elementsCache.clear();
    for (const element of list.current?.children ?? []) virtualizer.measureElement(element as HTMLLIElement);
  });
  const { edge, cue } = scroll ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: lines that come in do not scroll by themselves.
  useEffect(() => {
    if (edge === 'top') virtualizer.scrollToIndex(0);
    if (edge === 'bottom') virtualizer.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [edge, cue, virtualizer]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls needs the keyboard.
    <div ref={box} className={styles['lines']} tabIndex={0} role="log" aria-label="Log lines" aria-live="off">
      <ol ref={list} style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start, key }) => {
          const line = lines[index];
          if (!line) return null;
          return (
            <li
              key={keys.get(key)}
              ref={virtualizer.measureElement}
              data-index={index}
              className={styles['line']}
              style={{ top: start }}
            >
              {fast.isFast && !open.has(line.seq) ? (
                <PassingLine line={line} />
              ) : (
                <LogLine
                  line={line}
                  isOpen={open.has(line.seq)}
                  onToggle={() => setOpen(toggled(open, line.seq))}
                  onScope={onScope}
                />
              )}
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
