import { Batcher } from '../batcher.ts';
import type { EngineContext } from '../context.ts';
import type { Queryable } from '../db/statement.ts';
import type { Intake, IntakeOutcome } from './newRun.ts';
import { ingestIntakes } from './sql/ingestIntakes.ts';

const maxItems = 200;
const maxInFlight = 2;
const maxQueued = 20_000;

const batchers = new WeakMap<EngineContext, Batcher<Intake, IntakeOutcome>>();

/** Records one intake, together with others that arrive meanwhile. Committed when it resolves. */
export function ingest(ctx: EngineContext, intake: Intake): Promise<IntakeOutcome> {
  let batcher = batchers.get(ctx);
  if (!batcher) {
    batcher = new Batcher({ flush: (items) => flush(ctx, items), maxItems, maxInFlight, maxQueued });
    batchers.set(ctx, batcher);
  }
  return batcher.add(intake);
}

async function flush(ctx: EngineContext, intakes: Intake[]): Promise<IntakeOutcome[]> {
  const outcomes = await ingestWithin(ctx, ctx.db, intakes);
  announce(
    ctx,
    intakes.filter((_, position) => outcomes[position]?.kind === 'created'),
  );
  return outcomes;
}

/** Records intakes inside a transaction of the caller's, who announces them once it is committed. */
export async function ingestWithin(ctx: EngineContext, db: Queryable, intakes: Intake[]): Promise<IntakeOutcome[]> {
  const rows = await ingestIntakes(db, {
    intakes,
    dedupeWindowMs: ctx.settings.dedupeWindowMs,
    now: ctx.clock.sql(),
  });
  const outcomes: IntakeOutcome[] = [];
  for (const row of rows) {
    outcomes[row.ord] =
      row.outcome === 'deduped' ? { kind: 'deduped', refId: row.ref_id ?? undefined } : { kind: row.outcome };
  }
  return outcomes;
}

/** Tells this process what runs were recorded: dispatchers have work, streams have news. */
export function announce(ctx: EngineContext, intakes: readonly Intake[]): void {
  const laneIds = new Set<number>();
  for (const { runs } of intakes) {
    for (const run of runs) {
      laneIds.add(run.laneId);
      const { projectId, runId, app, workflow } = run;
      const frames = [{ seq: 1, kind: 'run_status', ts: ctx.clock.now(), payload: '{"status":"queued"}' }] as const;
      ctx.bus.emit('run.frames', { projectId, runId, app, workflow, frames });
    }
  }
  if (laneIds.size > 0) ctx.bus.emit('work.ready', { laneIds: [...laneIds] });
}
