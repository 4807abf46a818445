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
import type { ReactNode } from 'react';
import { classes, durationText, Status, statusBar, visibleText, wordsOf } from '../../design/index.ts';
import type { Bar, Lane } from './lanes.ts';
import styles from './Timeline.module.css';
import type { TimeAxis } from './timeAxis.ts';

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

interface LaneRowProps {
  lane: Lane;
  axis: TimeAxis;
  queued: Bar | undefined;
  /** How far it is set in, as part of a child. */
  depth: number;
  /** Whether the group of repeats is open; undefined if it is none. */
  isOpen: boolean | undefined;
  onPress: () => void;
  /** Whether the child is unfolded; undefined if the step has none. */
  isChildOpen: boolean | undefined;
  onChild: () => void;
}

/** A step of the timeline: its name, its bars, and how long it took. */
export function LaneRow(props: LaneRowProps): ReactNode {
  const { lane, axis, queued, depth, isOpen, onPress, isChildOpen, onChild } = props;
  const Icon = kindIcons[lane.kind] ?? Cog;
  const Fold = isOpen ? ChevronDown : ChevronRight;
  const bars = queued && queued.toMs > queued.fromMs ? [queued, ...lane.bars] : lane.bars;
  return (
    <>
      <div className={styles['names']} style={{ paddingLeft: `${1 + 1.25 * depth}rem` }}>
        {isChildOpen !== undefined && <ChildButton isOpen={isChildOpen} name={lane.name} onPress={onChild} />}
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
      </div>
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

function ChildButton({ isOpen, name, onPress }: { isOpen: boolean; name: string; onPress: () => void }): ReactNode {
  const Fold = isOpen ? ChevronDown : ChevronRight;
  return (
    <button type="button" className={styles['unfold']} aria-expanded={isOpen} onClick={onPress}>
      <Fold size={14} aria-hidden />
      <span className="unseen">{`Steps of the child of ${visibleText(name)}`}</span>
    </button>
  );
}

/** A group of thousands of repeats draws so many bars at most. */
const maxBars = 200;

const shownBars = (bars: readonly Bar[]): readonly Bar[] =>
  bars.length <= maxBars ? bars : bars.filter((_, at) => at % Math.ceil(bars.length / maxBars) === 0);
