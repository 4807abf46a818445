import { useVirtualizer } from '@tanstack/react-virtual';
import {
  Bell,
  Bot,
  ChevronDown,
  ChevronRight,
  ClipboardCheck,
  Cog,
  GitFork,
  type LucideIcon,
  Moon,
  Radio,
  Star,
  Webhook,
} from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import {
  Button,
  classes,
  durationText,
  Empty,
  Field,
  Select,
  Status,
  statusBar,
  useNowWhile,
  visibleText,
  wordsOf,
} from '../../design/index.ts';
import { type Bar, baseName, filterLanes, foldRepeats, type Lane, lanesOf, type Step } from './lanes.ts';
import type { RunSearch } from './runSearch.ts';
import styles from './Timeline.module.css';
import { type TimeAxis, timeAxis } from './timeAxis.ts';
import type { RunHead } from './useRun.ts';

const kindIcons: Record<string, LucideIcon> = {
  RUN: Cog,
  SLEEP: Moon,
  WAIT_FOR_EVENT: Bell,
  RUN_WORKFLOW: GitFork,
  APPROVAL: ClipboardCheck,
  INFER: Bot,
  EMIT: Radio,
  WEBHOOK: Webhook,
  SCORE: Star,
};

interface TimelineProps {
  run: RunHead;
  steps: readonly Step[];
  search: RunSearch;
  onChange: (search: RunSearch) => void;
  isPartial: boolean;
}

/** A row for each step, with bars on one time axis. */
export function Timeline({ run, steps, search, onChange, isPartial }: TimelineProps): ReactNode {
  const now = useNowWhile(run.endedAt == null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const endMs = run.endedAt ? Date.parse(run.endedAt) : now;
  const all = useMemo(() => lanesOf(steps, endMs), [steps, endMs]);
  const { only, find, kind } = search;
  const lanes = useMemo(() => foldRepeats(filterLanes(all, { only, find, kind }), open), [all, only, find, kind, open]);
  const createdMs = Date.parse(run.createdAt);
  const axis = useMemo(
    () =>
      timeAxis(
        { fromMs: createdMs, toMs: Math.max(endMs, ...all.map(({ toMs }) => toMs)) },
        all.flatMap(({ bars }) => bars),
        search.fold,
      ),
    [createdMs, endMs, all, search.fold],
  );
  const kinds = useMemo(() => [...new Set(all.map((lane) => lane.kind))].sort(), [all]);
  return (
    <>
      <div className={styles['tools']}>
        <Field
          label="Find a step"
          isBare
          type="search"
          placeholder="Find a step"
          value={find ?? ''}
          onChange={(event) => onChange({ ...search, find: event.target.value || undefined })}
        />
        <Select
          label="Which steps"
          isBare
          value={only ?? ''}
          options={[
            { value: '', label: 'All steps' },
            { value: 'failed', label: 'Failed' },
            { value: 'unfinished', label: 'Unfinished' },
          ]}
          onChoose={(value) => onChange({ ...search, only: value || undefined })}
        />
        {kinds.length > 1 && (
          <Select
            label="Kind"
            isBare
            value={kind ?? ''}
            options={[{ value: '', label: 'All kinds' }, ...kinds.map((value) => ({ value, label: wordsOf(value) }))]}
            onChoose={(value) => onChange({ ...search, kind: value || undefined })}
          />
        )}
        {axis.canFold && (
          <Button
            aria-pressed={axis.isFolded}
            onClick={() => onChange({ ...search, fold: axis.isFolded ? 'off' : 'on' })}
          >
            {axis.isFolded ? 'Show waits in full' : 'Fold long waits'}
          </Button>
        )}
        <span className={styles['count']} role="status">
          {isPartial ? `${all.length} steps so far…` : `${all.length} ${all.length === 1 ? 'step' : 'steps'}`}
        </span>
      </div>
      {lanes.length === 0 ? (
        <Empty title={all.length === 0 ? 'No step has begun yet' : 'No step matches'} />
      ) : (
        <Lanes
          lanes={lanes}
          axis={axis}
          chosen={search.step}
          queued={queuedBar(run, endMs)}
          onChoose={(lane) => onChange({ ...search, step: `${lane.index}.${lane.attempt}` })}
          open={open}
          onToggle={(name) => setOpen(toggled(open, name))}
        />
      )}
    </>
  );
}

function toggled(open: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(name)) next.add(name);
  return next;
}

const queuedBar = (run: RunHead, endMs: number): Bar => ({
  kind: 'queued',
  status: 'QUEUED',
  fromMs: Date.parse(run.createdAt),
  toMs: run.startedAt ? Date.parse(run.startedAt) : endMs,
  attempt: 1,
});

interface LanesProps {
  lanes: readonly Lane[];
  axis: TimeAxis;
  chosen: string | undefined;
  queued: Bar;
  onChoose: (lane: Lane) => void;
  open: ReadonlySet<string>;
  onToggle: (name: string) => void;
}

function Lanes({ lanes, axis, chosen, queued, onChoose, open, onToggle }: LanesProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: lanes.length,
    getScrollElement: () => box.current,
    estimateSize: () => 32,
    overscan: 10,
    getItemKey: (index) => lanes[index]?.key ?? index,
  });
  const [chosenIndex] = chosen?.split('.') ?? [];
  const move = (event: KeyboardEvent): void => {
    const by: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = by[event.key];
    if (step === undefined || !(event.target instanceof HTMLElement)) return;
    const at = Number(event.target.closest('[data-lane]')?.getAttribute('data-lane') ?? -1) + step;
    if (at < 0 || at >= lanes.length) return;
    event.preventDefault();
    virtualizer.scrollToIndex(at);
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-lane="${at}"] button`)?.focus());
  };
  return (
    <div className={styles['timeline']}>
      <div className={styles['axis']} aria-hidden>
        <span />
        <div className={styles['scale']}>
          {axis.marks.map(({ at, label, isFold }) => (
            <span
              key={`${at} ${label}`}
              className={classes(styles['mark'], isFold && styles['fold-mark'])}
              style={{ left: `${at * 100}%` }}
            >
              {label}
            </span>
          ))}
        </div>
        <span />
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys bubble from the buttons of the rows. */}
      <div ref={box} className={styles['lanes']} onKeyDown={move}>
        <ul style={{ height: virtualizer.getTotalSize() }} aria-label="Steps">
          {virtualizer.getVirtualItems().map(({ index, start, key }) => {
            const lane = lanes[index];
            if (!lane) return null;
            const isGroup = lane.repeats.length > 0;
            return (
              <li
                key={key}
                data-lane={index}
                className={classes(styles['lane'], String(lane.index) === chosenIndex && !isGroup && styles['chosen'])}
                style={{ top: start }}
              >
                <LaneRow
                  lane={lane}
                  axis={axis}
                  queued={index === 0 ? queued : undefined}
                  isOpen={isGroup ? open.has(baseName(lane.name)) : undefined}
                  onPress={() => (isGroup ? onToggle(baseName(lane.name)) : onChoose(lane))}
                />
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
}

interface LaneRowProps {
  lane: Lane;
  axis: TimeAxis;
  queued: Bar | undefined;
  isOpen: boolean | undefined;
  onPress: () => void;
}

function LaneRow({ lane, axis, queued, isOpen, onPress }: LaneRowProps): ReactNode {
  const Icon = kindIcons[lane.kind] ?? Cog;
  const Fold = isOpen ? ChevronDown : ChevronRight;
  const bars = queued && queued.toMs > queued.fromMs ? [queued, ...lane.bars] : lane.bars;
  return (
    <>
      <button type="button" className={styles['name']} aria-expanded={isOpen} onClick={onPress}>
        {isOpen !== undefined && <Fold size={14} aria-hidden />}
        <Status status={lane.status} isCompact />
        <Icon size={14} aria-hidden className={styles['kind']} />
        <span className={styles['text']} title={`${wordsOf(lane.kind)}: ${visibleText(lane.name)}`}>
          {visibleText(lane.name)}
          {lane.repeats.length > 0 && <span className={styles['repeats']}> × {lane.repeats.length}</span>}
          {lane.attempt > 1 && <span className={styles['repeats']}> attempt {lane.attempt}</span>}
        </span>
      </button>
      {/* The button beside it does the same for the keyboard. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: see above. */}
      <div className={styles['track']} onClick={onPress}>
        {axis.stretches
          .filter(({ isFolded }) => isFolded)
          .map(({ from, to, fromMs }) => (
            <span
              key={fromMs}
              className={styles['folded']}
              style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
            />
          ))}
        {shownBars(bars).map((bar) => {
          const from = axis.place(bar.fromMs);
          const width = axis.place(bar.toMs) - from;
          return (
            <span
              key={`${bar.kind} ${bar.attempt} ${bar.fromMs}`}
              className={
                bar.kind === 'gap'
                  ? styles['gap']
                  : classes(
                      styles['bar'],
                      statusBar(bar.status),
                      bar.kind === 'queued' && styles['queued'],
                      bar.kind === 'wait' && styles['wait'],
                    )
              }
              style={{ left: `${from * 100}%`, width: `max(3px, ${width * 100}%)` }}
              title={`${wordsOf(bar.kind === 'gap' ? 'waits for the next attempt' : bar.status)}: ${durationText(bar.toMs - bar.fromMs)}`}
            />
          );
        })}
      </div>
      <span className={styles['duration']}>{durationText(lane.toMs - lane.fromMs)}</span>
    </>
  );
}

/** A group of thousands of repeats draws so many bars at most. */
const maxBars = 200;

const shownBars = (bars: readonly Bar[]): readonly Bar[] =>
  bars.length <= maxBars ? bars : bars.filter((_, at) => at % Math.ceil(bars.length / maxBars) === 0);
