import { Batcher } from '../batcher.ts';
import type { Frame } from '../bus.ts';
import type { EngineContext } from '../context.ts';
import type { Queryable } from '../db/index.ts';
import { openGatesSoon } from '../flow/index.ts';

import { perEngine } from '../perEngine.ts';
import type { RunStatus } from '../runs/index.ts';
import type { Intake, IntakeOutcome, NewRun } from './newRun.ts';
import { type IngestedRow, ingestIntakes } from './sql/ingestIntakes.ts';
import { type PlainStart, plainStart } from './sql/ingestStarts.ts';
import { startRuns } from './startRuns.ts';

const maxItems = 200;
const maxInFlight = 2;
const maxQueued = 20_000;

/** Plain starts take the short way; each flush of either is one statement, so that a failed one wrote nothing. */
interface Batchers {
  starts: Batcher<PlainStart, IntakeOutcome>;
  intakes: Batcher<Intake, IntakeOutcome>;
}

const batchersOf = perEngine((ctx): Batchers => {
  const limits = { maxItems, maxInFlight, maxQueued };
  return {
    starts: new Batcher({ flush: (starts) => startRuns(ctx, starts), ...limits }),
    intakes: new Batcher({ flush: (intakes) => ingestWithin(ctx, ctx.db, intakes), ...limits }),
  };
});

/** Records one intake, together with others that arrive meanwhile. Committed when it resolves. */
export async function ingest(ctx: EngineContext, intake: Intake): Promise<IntakeOutcome> {
  const { starts, intakes } = batchersOf(ctx);
  const start = plainStart(intake);
  const outcome = await (start ? starts.add(start) : intakes.add(intake));
  if (outcome.kind === 'created') {
    const { createdAt, gatedSlots } = outcome;
    if (outcome.isLeased) announceLeased(ctx, { intake, createdAt });
    else announce(ctx, [{ intake, createdAt }], gatedSlots);
  }
  return outcome;
}

/** Records intakes inside a transaction of the caller's, who announces them once it is committed. */
export async function ingestWithin(
  ctx: EngineContext,
  db: Queryable,
  intakes: readonly Intake[],
): Promise<IntakeOutcome[]> {
  const rows = await ingestIntakes(db, {
    intakes,
    dedupeWindowMs: ctx.settings.dedupeWindowMs,
    now: ctx.clock.sql(),
  });
  const outcomes: IntakeOutcome[] = [];
  for (const row of rows) {
    outcomes[row.ord] = outcomeOf(row);
  }
  return outcomes;
}

function outcomeOf(row: IngestedRow): IntakeOutcome {
  switch (row.outcome) {
    case 'created':
      return { kind: row.outcome, createdAt: row.createdAt, gatedSlots: row.gatedSlots };
    case 'deduped':
      return { kind: row.outcome, refId: row.refId };
    case 'stale':
      return { kind: row.outcome };
  }
}

/** What was committed, and when. */
export interface Recorded {
  intake: Intake;
  /** As the rows keep it. */
  createdAt: Date;
}

/**
 * Tells this process what runs were recorded: dispatchers have work, streams have news. Where runs were lined up behind others
 * of their slot (`gatedSlots`), those may have gone on meanwhile: there may be room.
 */
export function announce(ctx: EngineContext, recorded: readonly Recorded[], gatedSlots: readonly string[]): void {
  const laneIds = new Set<number>();
  for (const { intake, createdAt } of recorded) {
    for (const run of intake.runs) {
      laneIds.add(run.laneId);
      tellStatuses(ctx, { run, statuses: ['queued'], ts: createdAt });
    }
  }
  if (laneIds.size > 0) ctx.bus.emit('work.ready', { laneIds: [...laneIds] });
  openGatesSoon(ctx, { slots: gatedSlots, projectIds: [] });
}

/** A run that was leased with its start: nobody needs to look for it. */
function announceLeased(ctx: EngineContext, { intake, createdAt }: Recorded): void {
  for (const run of intake.runs) tellStatuses(ctx, { run, statuses: ['queued', 'running'], ts: createdAt });
}

interface FirstStatuses {
  run: Pick<NewRun, 'projectId' | 'runId' | 'app' | 'workflow'>;
  statuses: readonly RunStatus[];
  ts: Date;
}

/** Tells streams the statuses that a new run began with, the first frames of its journal. */
export function tellStatuses(ctx: EngineContext, { run, statuses, ts }: FirstStatuses): void {
  const { projectId, runId, app, workflow } = run;
  const frames = statuses.map(
    (status, position): Frame => ({ seq: position + 1, kind: 'run_status', ts, payload: statusFrame(status) }),
  );
  ctx.bus.emit('run.frames', { projectId, runId, app, workflow, frames });
}

const statusFrame = (status: RunStatus): string => `{"status":"${status}"}`;
