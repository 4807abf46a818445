import { Batcher } from '../batcher.ts';
import type { EngineContext } from '../context.ts';
import type { Queryable } from '../db/statement.ts';
import { openGatesSoon } from '../flow/index.ts';
import type { Intake, IntakeOutcome } from './newRun.ts';
import { type IngestedRow, ingestIntakes } from './sql/ingestIntakes.ts';
import { ingestStarts, type PlainStart, plainStart } from './sql/ingestStarts.ts';

const maxItems = 200;
const maxInFlight = 2;
const maxQueued = 20_000;

/** Plain starts take the short way; each flush of either is one statement, so that a failed one wrote nothing. */
interface Batchers {
  starts: Batcher<PlainStart, IntakeOutcome>;
  intakes: Batcher<Intake, IntakeOutcome>;
}

const batchers = new WeakMap<EngineContext, Batchers>();

function batchersOf(ctx: EngineContext): Batchers {
  let both = batchers.get(ctx);
  if (!both) {
    const limits = { maxItems, maxInFlight, maxQueued };
    both = {
      starts: new Batcher({ flush: (starts) => flushStarts(ctx, starts), ...limits }),
      intakes: new Batcher({ flush: (intakes) => ingestWithin(ctx, ctx.db, intakes), ...limits }),
    };
    batchers.set(ctx, both);
  }
  return both;
}

/** Records one intake, together with others that arrive meanwhile. Committed when it resolves. */
export async function ingest(ctx: EngineContext, intake: Intake): Promise<IntakeOutcome> {
  const { starts, intakes } = batchersOf(ctx);
  const start = plainStart(intake);
  const outcome = await (start ? starts.add(start) : intakes.add(intake));
  if (outcome.kind === 'created') announce(ctx, [intake], outcome.gatedSlots);
  return outcome;
}

async function flushStarts(ctx: EngineContext, starts: PlainStart[]): Promise<IntakeOutcome[]> {
  const rows = await ingestStarts(ctx.db, { starts, now: ctx.clock.sql() });
  const fresh = new Map(rows.map((row) => [row.ord, row]));
  return starts.map((_, ord) => {
    const row = fresh.get(ord);
    if (!row) return { kind: 'stale' };
    return { kind: 'created', gatedSlots: row.gated_slot === null ? [] : [row.gated_slot] };
  });
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

function outcomeOf({ outcome, ref_id, gated_slots: gatedSlots }: IngestedRow): IntakeOutcome {
  switch (outcome) {
    case 'created':
      return { kind: outcome, gatedSlots };
    case 'deduped':
      return { kind: outcome, refId: ref_id ?? undefined };
    case 'stale':
      return { kind: outcome };
  }
}

/**
 * Tells this process what runs were recorded: dispatchers have work, streams have news. Where runs were lined up behind others
 * of their slot (`gatedSlots`), those may have gone on meanwhile: there may be room.
 */
export function announce(ctx: EngineContext, intakes: readonly Intake[], gatedSlots: readonly string[]): void {
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
  openGatesSoon(ctx, { slots: gatedSlots, projectIds: [] });
}
