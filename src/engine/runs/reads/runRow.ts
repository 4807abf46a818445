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
  startedAt: Date | null;
  endedAt: Date | null;
}

const columns: Readonly<Record<keyof RunRow, string>> = {
  id: 'id',
  app: 'app',
  workflow: 'workflow',
  version: 'version',
  status: 'status',
  triggerKind: 'trigger_kind',
  eventName: 'event_name',
  eventId: 'event_id',
  session: 'session',
  runner: 'runner',
  replayOf: 'replay_of',
  onFailureOf: 'on_failure_of',
  parentRunId: 'parent_run_id',
  parentStep: 'parent_step',
  parentAttempt: 'parent_attempt',
  depth: 'depth',
  tags: 'tags',
  attempt: 'attempt',
  pausedReason: 'paused_reason',
  pausedActor: 'paused_actor',
  createdAt: 'created_at',
  startAt: 'start_at',
  startedAt: 'started_at',
  endedAt: 'ended_at',
};

/** The columns of a `RunRow` for a `select` from `alias`. */
export const runColumns = (alias: string): string =>
  Object.entries(columns)
    .map(([field, column]) => `${alias}.${column} as "${field}"`)
    .join(', ');

/** Milliseconds from the first pass, or from the start when none ran, to the end; null while unfinished. */
export function durationMs(run: Pick<RunRow, 'createdAt' | 'startedAt' | 'endedAt'>): number | null {
  if (!run.endedAt) return null;
  return run.endedAt.getTime() - (run.startedAt ?? run.createdAt).getTime();
}
