import { readEnvelope } from '../../model/index.ts';

/** An entry of an event's `triggered[]`: as answered, plus the run once its buffer was flushed. */
export interface TriggerRecord {
  app: string;
  workflow: string;
  runId?: string | undefined;
  skipped?: boolean | undefined;
  dropped?: boolean | undefined;
  debounced?: boolean | undefined;
  batched?: boolean | undefined;
  deduped?: boolean | undefined;
  /** The run that caused the start to be withheld. */
  existingRunId?: string | undefined;
}

/** An event of the log, without its payload (4.3). */
export interface EventRow {
  id: string;
  app: string;
  name: string;
  tags: Record<string, string> | null;
  /** The headers of its sender that its webhook source exposes. */
  headers: Readonly<Record<string, string>> | null;
  session: string | null;
  dedupeId: string | null;
  targetApp: string | null;
  runner: string | null;
  source: 'api' | 'webhook' | 'emit';
  sourceRunId: string | null;
  receivedAt: Date;
  triggered: readonly TriggerRecord[];
  woke: number;
  wokeRuns: readonly string[];
  suspended: boolean;
}

/** A row as the driver returns it: `triggered` and `envelope` are JSON text. */
export type StoredEventRow = Omit<EventRow, 'triggered' | 'headers'> & { triggered: string; envelope: string | null };

export const eventColumns = `id, app, name, tags, envelope, session, dedupe_id, target_app, runner, source, source_run_id, received_at,
  triggered, woke, woke_runs, suspended`;

/** One literal: spreads would copy each row of a page twice. */
export const toEventRow = (row: StoredEventRow): EventRow => ({
  id: row.id,
  app: row.app,
  name: row.name,
  tags: row.tags,
  headers: readEnvelope(row.envelope).headers ?? null,
  session: row.session,
  dedupeId: row.dedupeId,
  targetApp: row.targetApp,
  runner: row.runner,
  source: row.source,
  sourceRunId: row.sourceRunId,
  receivedAt: row.receivedAt,
  triggered: JSON.parse(row.triggered),
  woke: row.woke,
  wokeRuns: row.wokeRuns,
  suspended: row.suspended,
});
