import type { RunStatus, TriggerKind } from '../status.ts';

/** A run without its payloads (2.4): what lists and links need. */
export interface RunRow {
  id: string;
  app: string;
  workflow: string;
  version: string;
  status: RunStatus;
  triggerKind: TriggerKind;
  eventName: string | null;
  eventId: string | null;
  session: string | null;
  runner: string | null;
  replayOf: string | null;
  onFailureOf: string | null;
  parentRunId: string | null;
  parentStep: string | null;
  parentAttempt: number | null;
  depth: number;
  tags: Record<string, string> | null;
  attempt: number;
  pausedReason: 'manual' | 'budget' | null;
  pausedActor: string | null;
  createdAt: Date;
  startAt: Date | null;
  expiresAt: Date | null;
  startedAt: Date | null;
  endedAt: Date | null;
}

const copied = 'app workflow trigger_kind event_name event_id session runner on_failure_of tags'.split(' ');
const others = `id version status replay_of parent_run_id parent_step parent_attempt depth attempt paused_reason
  paused_actor created_at start_at expires_at started_at ended_at`.split(/\s+/);

/** SQL: the columns that a fork copies from its source. */
export const copiedColumns = [...copied, 'envelope'].join(', ');

/** The columns of a `RunRow` for a `select` from `alias`. */
export const runColumns = (alias: string): string =>
  [...others, ...copied].map((column) => `${alias}.${column}`).join(', ');

/**
 * Milliseconds from the first pass, or from the start when none ran, to the end; null while
 * unfinished.
 */
export function durationMs(run: Pick<RunRow, 'createdAt' | 'startedAt' | 'endedAt'>): number | null {
  if (!run.endedAt) return null;
  return run.endedAt.getTime() - (run.startedAt ?? run.createdAt).getTime();
}
