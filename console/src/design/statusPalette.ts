/** The six colours. A colour is never the only sign: each status has its icon and its pattern. */
export type Tone = 'idle' | 'busy' | 'wait' | 'hold' | 'good' | 'bad';

export type Pattern = 'solid' | 'dots' | 'moving' | 'hatch' | 'bars' | 'cross' | 'hollow';

export interface StatusLook {
  label: string;
  tone: Tone;
  pattern: Pattern;
}

const looks = {
  QUEUED: { label: 'Queued', tone: 'idle', pattern: 'dots' },
  RUNNING: { label: 'Running', tone: 'busy', pattern: 'moving' },
  WAITING: { label: 'Waiting', tone: 'wait', pattern: 'hatch' },
  PAUSED: { label: 'Paused', tone: 'hold', pattern: 'bars' },
  NEEDS_ATTENTION: { label: 'Needs attention', tone: 'hold', pattern: 'cross' },
  SUCCEEDED: { label: 'Succeeded', tone: 'good', pattern: 'solid' },
  FAILED: { label: 'Failed', tone: 'bad', pattern: 'cross' },
  CANCELLED: { label: 'Cancelled', tone: 'idle', pattern: 'hollow' },
  SKIPPED: { label: 'Skipped', tone: 'idle', pattern: 'dots' },
  // Webhook deliveries and approvals.
  PENDING: { label: 'Pending', tone: 'wait', pattern: 'hatch' },
  DELIVERING: { label: 'Delivering', tone: 'busy', pattern: 'moving' },
  EXHAUSTED: { label: 'Exhausted', tone: 'bad', pattern: 'cross' },
  DEAD: { label: 'Dead', tone: 'bad', pattern: 'bars' },
  APPROVED: { label: 'Approved', tone: 'good', pattern: 'solid' },
  DENIED: { label: 'Denied', tone: 'bad', pattern: 'cross' },
  ESCALATED: { label: 'Escalated', tone: 'hold', pattern: 'cross' },
  INGESTED: { label: 'Ingested', tone: 'good', pattern: 'solid' },
  DEDUPED: { label: 'Deduplicated', tone: 'idle', pattern: 'dots' },
  INVALID: { label: 'Invalid', tone: 'bad', pattern: 'cross' },
  MISCONFIGURED: { label: 'Misconfigured', tone: 'hold', pattern: 'bars' },
  TOO_LARGE: { label: 'Too large', tone: 'bad', pattern: 'hollow' },
  UNAUTHORIZED: { label: 'Unauthorized', tone: 'bad', pattern: 'bars' },
} as const satisfies Record<string, StatusLook>;

export type KnownStatus = keyof typeof looks;

/** The look of a status. A status of a newer service shows its own name in grey. */
export const statusLook = (status: string): StatusLook =>
  Object.hasOwn(looks, status)
    ? looks[status as KnownStatus]
    : { label: wordsOf(status), tone: 'idle', pattern: 'solid' };

/** `NEEDS_ATTENTION` as `Needs attention`. */
export function wordsOf(name: string): string {
  if (name === 'API') return name;
  const words = name
    .toLowerCase()
    .replaceAll('_', ' ')
    .replace(/\bapi\b/, 'API');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const runStatuses = [
  'QUEUED',
  'RUNNING',
  'WAITING',
  'PAUSED',
  'NEEDS_ATTENTION',
  'SUCCEEDED',
  'FAILED',
  'CANCELLED',
] as const;

/** Whether a run or a step with this status changes no more. */
export const isFinal = (status: string): boolean => ['SUCCEEDED', 'FAILED', 'CANCELLED', 'SKIPPED'].includes(status);
