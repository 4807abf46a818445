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
  RotateCw,
  Star,
  Webhook,
} from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { durationText, Status, visibleText, wordsOf } from '../../design/index.ts';
import type { Bar, Lane } from './lanes.ts';
import styles from './Timeline.module.css';
import { Track } from './Track.tsx';
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
  /** Whether the attempts are unfolded. */
  isTriesOpen: boolean;
  onTries: () => void;
}

/** A step of the timeline: its name, its bars, and how long it took. */
export function LaneRow(props: LaneRowProps): ReactNode {
  const { lane, axis, queued, depth, isOpen, onPress, isChildOpen, onChild, isTriesOpen, onTries } = props;
  const Fold = isOpen ? ChevronDown : ChevronRight;
  const bars = queued && queued.toMs > queued.fromMs ? [queued, ...lane.bars] : lane.bars;
  return (
    <>
      <div className={styles['names']} style={{ paddingLeft: `${1 + 1.25 * depth}rem` }}>
        {isChildOpen !== undefined && <ChildButton isOpen={isChildOpen} name={lane.name} onPress={onChild} />}
        <button type="button" className={styles['name']} aria-expanded={isOpen} onClick={onPress}>
          {isOpen !== undefined && <Fold size={14} aria-hidden />}
          <Status status={lane.status} isCompact />
          <KindIcon kind={lane.kind} />
          <span className={styles['text']} title={`${wordsOf(lane.kind)}: ${visibleText(lane.name)}`}>
            {visibleText(lane.name)}
            {lane.repeats.length > 0 && <span className={styles['repeats']}> × {lane.repeats.length}</span>}
          </span>
        </button>
        {lane.attempts.length > 1 && (
          <button
            type="button"
            className={styles['tries']}
            aria-expanded={isTriesOpen}
            title={`${lane.attempts.length} attempts`}
            onClick={onTries}
          >
            <RotateCw size={11} aria-hidden />
            {lane.attempts.length}
            <span className="unseen">{`attempts of ${visibleText(lane.name)}`}</span>
          </button>
        )}
      </div>
      <Track bars={bars} axis={axis} onPress={onPress} />
      <span className={styles['duration']}>{durationText(lane.toMs - lane.fromMs)}</span>
    </>
  );
}

/** A step that passes in a fast scroll: no more than can be seen of it then, to save time. */
export function PassingLane({ lane, axis, depth }: Pick<LaneRowProps, 'lane' | 'axis' | 'depth'>): ReactNode {
  return (
    <>
      <span className={styles['text']} style={{ paddingLeft: `${1 + 1.25 * depth}rem` }}>
        {visibleText(lane.name)}
      </span>
      <Track bars={lane.bars} axis={axis} />
      <span className={styles['duration']}>{durationText(lane.toMs - lane.fromMs)}</span>
    </>
  );
}

/** The icon of a kind, drawn once: it has many parts, and an element passes from step to step. */
const KindIcon = memo(function KindIcon({ kind }: { kind: string }): ReactNode {
  const Icon = kindIcons[kind] ?? Cog;
  return <Icon size={14} aria-hidden className={styles['kind']} />;
});

function ChildButton({ isOpen, name, onPress }: { isOpen: boolean; name: string; onPress: () => void }): ReactNode {
  const Fold = isOpen ? ChevronDown : ChevronRight;
  return (
    <button type="button" className={styles['unfold']} aria-expanded={isOpen} onClick={onPress}>
      <Fold size={14} aria-hidden />
      <span className="unseen">{`Steps of the child of ${visibleText(name)}`}</span>
    </button>
  );
}
