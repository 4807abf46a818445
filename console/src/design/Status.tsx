import {
  Ban,
  Check,
  CircleDashed,
  CircleDot,
  Hourglass,
  type LucideIcon,
  Pause,
  Play,
  SkipForward,
  TriangleAlert,
  X,
} from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './Status.module.css';
import { statusLook, type Tone } from './statusPalette.ts';

const icons: Record<string, LucideIcon> = {
  QUEUED: CircleDashed,
  RUNNING: Play,
  WAITING: Hourglass,
  PAUSED: Pause,
  NEEDS_ATTENTION: TriangleAlert,
  SUCCEEDED: Check,
  FAILED: X,
  CANCELLED: Ban,
  SKIPPED: SkipForward,
  PENDING: Hourglass,
  DELIVERING: Play,
  EXHAUSTED: X,
  DEAD: Ban,
  APPROVED: Check,
  DENIED: X,
  ESCALATED: TriangleAlert,
  INGESTED: Check,
};

interface StatusProps {
  status: string;
  /** Only the icon; the name is read out. */
  isCompact?: boolean;
}

/** A status as a badge: icon, word and colour. */
export const Status = memo(function Status({ status, isCompact = false }: StatusProps): ReactNode {
  const { label, tone } = statusLook(status);
  const Icon = icons[status] ?? CircleDot;
  return (
    <span
      className={classes(styles['badge'], styles[tone], isCompact && styles['compact'])}
      title={isCompact ? label : undefined}
    >
      <Icon size={13} strokeWidth={2.4} aria-hidden />
      <span className={isCompact ? 'unseen' : undefined}>{label}</span>
    </span>
  );
});

interface BadgeProps {
  tone?: Tone;
  icon?: LucideIcon;
  children: ReactNode;
  title?: string | undefined;
}

/** A word in one of the six colours. */
export const Badge = memo(function Badge({ tone = 'idle', icon: Icon, children, title }: BadgeProps): ReactNode {
  return (
    <span className={classes(styles['badge'], styles[tone])} title={title}>
      {Icon && <Icon size={13} aria-hidden />}
      <span>{children}</span>
    </span>
  );
});

/** The classes of a bar in a status: its colour and its pattern. */
export function statusBar(status: string): string {
  const { tone, pattern } = statusLook(status);
  return classes(styles['bar'], styles[`${tone}-bar`], styles[pattern]);
}
