import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { classes } from '../../design/index.ts';
import { PageLink, useGo } from '../../router/PageLink.tsx';
import { AttemptRow } from './AttemptRow.tsx';
import { Axis } from './Axis.tsx';
import { LaneRow, PassingLane } from './LaneRow.tsx';
import { type Bar, baseName, type Lane } from './lanes.ts';
import styles from './Timeline.module.css';
import type { TimeAxis, TimeRange } from './timeAxis.ts';
import { attemptsKey, type TimelineRow } from './timelineRows.ts';
import { useDrawnRows, useFastScroll } from './useDrawnRows.ts';

interface LanesProps {
  rows: readonly TimelineRow[];
  axis: TimeAxis;
  chosen: string | undefined;
  queued: Bar;
  /** Shows a part of the time that is shown. */
  onNarrow: (range: TimeRange) => void;
  /** Takes `<index>.<attempt>`. */
  onChoose: (step: string) => void;
  open: ReadonlySet<string>;
  onToggle: (name: string) => void;
  /** The children that are unfolded. */
  unfolded: ReadonlySet<string>;
  onUnfold: (childRunId: string) => void;
  /** The steps whose attempts are unfolded, by `attemptsKey`. */
  tried: ReadonlySet<string>;
  onTries: (key: string) => void;
}

/** The height of a row in px, before it is drawn. */
const rowHeight = { lane: 32, note: 32, attempt: 52 };

/** The rows of the timeline below their axis. Only those in view are drawn. */
export function Lanes({ rows, axis, chosen, queued, onNarrow, onChoose, ...folds }: LanesProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const scroll = useFastScroll();
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => rowHeight[rows[index]?.kind ?? 'lane'],
    overscan: scroll.isFast ? 0 : 4,
    getItemKey: (index) => rows[index]?.key ?? index,
  });
  const items = virtualizer.getVirtualItems();
  const keys = useDrawnRows(items, box, scroll);
  const [chosenIndex] = chosen?.split('.') ?? [];
  const isChosen = (row: TimelineRow): boolean => {
    if (row.kind === 'attempt') return row.depth === 1 && stepOf(row.attempt.step) === chosen;
    if (row.kind === 'note' || row.depth > 0 || isGroup(row.lane)) return false;
    // Where its attempts are unfolded, the chosen one is marked instead.
    return String(row.lane.index) === chosenIndex && !folds.tried.has(attemptsKey(undefined, row.lane.index));
  };
  const focusRow = (at: number): void => {
    virtualizer.scrollToIndex(at);
    // A row that passed in a fast scroll is whole within so many frames.
    const look = (frames: number): void => {
      const target = box.current?.querySelector<HTMLElement>(`[data-lane="${at}"] :is(.${styles['name']}, a)`);
      if (target) target.focus();
      else if (frames > 0) requestAnimationFrame(() => look(frames - 1));
    };
    requestAnimationFrame(() => look(20));
  };
  const move = (event: KeyboardEvent): void => {
    const row = event.target instanceof HTMLElement ? event.target.closest('[data-lane]') : null;
    if (!row) return;
    const at = Number(row.getAttribute('data-lane'));
    const isFolded = { ArrowRight: 'false', ArrowLeft: 'true' }[event.key];
    const fold = isFolded && row.querySelector<HTMLElement>(`[aria-expanded="${isFolded}"]`);
    if (fold) fold.click();
    else {
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, ArrowLeft: parentOf(rows, at) }[event.key];
      if (to === undefined || to < 0 || to >= rows.length) return;
      focusRow(to);
    }
    event.preventDefault();
  };
  return (
    <>
      <Axis axis={axis} onNarrow={onNarrow} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys bubble from the buttons of the rows. */}
      <div ref={box} className={styles['lanes']} onKeyDown={move}>
        <ul style={{ height: virtualizer.getTotalSize() }} aria-label="Steps">
          {items.map(({ index, start, key }) => {
            const row = rows[index];
            if (!row) return null;
            return (
              <li
                key={keys.get(key)}
                data-lane={index}
                className={classes(
                  styles['lane'],
                  row.kind === 'attempt' && styles['attempt'],
                  isChosen(row) && styles['chosen'],
                  row.depth > 0 && styles['child'],
                )}
                style={{ top: start }}
              >
                {row.kind === 'note' && <Note row={row} />}
                {row.kind === 'attempt' && <RowOfAttempt row={row} axis={axis} onChoose={onChoose} />}
                {row.kind === 'lane' && scroll.isFast && <PassingLane lane={row.lane} axis={axis} depth={row.depth} />}
                {row.kind === 'lane' && !scroll.isFast && (
                  <RowOfLane
                    row={row}
                    axis={axis}
                    queued={index === 0 ? queued : undefined}
                    onChoose={onChoose}
                    {...folds}
                  />
                )}
              </li>
            );
          })}
        </ul>
      </div>
    </>
  );
}

/** The row that this one is beneath, or -1. */
function parentOf(rows: readonly TimelineRow[], at: number): number {
  const depth = rows[at]?.depth ?? 0;
  return rows.slice(0, at).findLastIndex((row) => row.depth < depth);
}

const isGroup = (lane: Lane): boolean => lane.repeats.length > 0;

const stepOf = ({ index, attempt }: { index: number; attempt: number }): string => `${index}.${attempt}`;

interface RowOfLaneProps extends Omit<LanesProps, 'rows' | 'chosen' | 'queued' | 'onNarrow'> {
  row: TimelineRow & { kind: 'lane' };
  queued: Bar | undefined;
}

/** A press chooses the step, opens its group, or goes to the child that it belongs to. */
function RowOfLane(props: RowOfLaneProps): ReactNode {
  const { row, axis, queued, onChoose, open, onToggle, unfolded, onUnfold, tried, onTries } = props;
  const { lane, depth, runId } = row;
  const go = useGo();
  const press = (): void => {
    if (runId !== undefined) go(['runs', runId], { step: stepOf(lane) });
    else if (isGroup(lane)) onToggle(baseName(lane.name));
    else onChoose(stepOf(lane));
  };
  const { childRunId } = lane;
  const triesKey = attemptsKey(runId, lane.index);
  return (
    <LaneRow
      lane={lane}
      axis={axis}
      queued={queued}
      depth={depth}
      isOpen={isGroup(lane) ? open.has(baseName(lane.name)) : undefined}
      onPress={press}
      isChildOpen={childRunId === undefined ? undefined : unfolded.has(childRunId)}
      onChild={() => childRunId !== undefined && onUnfold(childRunId)}
      isTriesOpen={tried.has(triesKey)}
      onTries={() => onTries(triesKey)}
    />
  );
}

interface RowOfAttemptProps extends Pick<LanesProps, 'axis' | 'onChoose'> {
  row: TimelineRow & { kind: 'attempt' };
}

/** A press chooses the attempt, or goes to it in the child that it belongs to. */
function RowOfAttempt({ row, axis, onChoose }: RowOfAttemptProps): ReactNode {
  const { attempt, depth, runId, error } = row;
  const go = useGo();
  const step = stepOf(attempt.step);
  const press = (): void => (runId === undefined ? onChoose(step) : void go(['runs', runId], { step }));
  return <AttemptRow attempt={attempt} axis={axis} depth={depth} error={error} onPress={press} />;
}

/** A line in place of the steps of a child, with a link to it. */
function Note({ row: { text, runId, depth } }: { row: TimelineRow & { kind: 'note' } }): ReactNode {
  return (
    <p className={styles['note']} style={{ paddingLeft: `${1 + 1.25 * depth}rem` }}>
      {text} {runId !== undefined && <PageLink to={['runs', runId]}>Open the child</PageLink>}
    </p>
  );
}
