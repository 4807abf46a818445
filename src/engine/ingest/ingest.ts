import { type AgentStart, recordStarts } from '../agents/index.ts';
import { Batcher } from '../batcher.ts';
import type { EngineContext } from '../context.ts';
import type { Transaction } from '../db/index.ts';
import { perEngine } from '../perEngine.ts';
import { processTally, tallyOfWorkflow } from '../tally/index.ts';
import { announceRuns } from './announce.ts';
import type { Intake, IntakeOutcome, NewRun } from './newRun.ts';
import { type IngestedRow, ingestIntakes } from './sql/ingestIntakes.ts';
import { type PlainStart, plainStart } from './sql/ingestStarts.ts';
import { startRuns } from './startRuns.ts';

const maxItems = 200;
const maxInFlight = 2;
const maxQueued = 20_000;

/**
 * Plain starts have a shorter statement. Each flush is one statement, so a failed flush wrote
 * nothing.
 */
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

/**
 * Records an intake, batched with others. The promise resolves after the commit and the
 * announcement.
 */
export function ingest(ctx: EngineContext, intake: Intake): Promise<IntakeOutcome> {
  // The record of an agent's start belongs into the same transaction.
  if (intake.runs.some(isOfAgent)) return ingestAlone(ctx, intake);
  const { starts, intakes } = batchersOf(ctx);
  const start = plainStart(intake);
  return start ? starts.add(start) : intakes.add(intake);
}

async function ingestAlone(ctx: EngineContext, intake: Intake): Promise<IntakeOutcome> {
  const [outcome] = await ctx.db.transaction((tx) => ingestWithin(ctx, tx, [intake]));
  if (!outcome) throw new Error('an intake has no outcome');
  return outcome;
}

const isOfAgent = ({ startedBy }: NewRun): boolean => startedBy !== undefined;

/**
 * Records intakes in a transaction, or in one statement on the pool. Their runs are announced after
 * the commit.
 */
export async function ingestWithin(
  ctx: EngineContext,
  tx: Transaction,
  intakes: readonly Intake[],
): Promise<IntakeOutcome[]> {
  const rows = await ingestIntakes(tx, {
    intakes,
    dedupeWindowMs: ctx.settings.dedupeWindowMs,
    now: ctx.clock.sql(),
  });
  await recordStarts(tx, startsOf(intakes, rows));
  tx.afterCommit(() => announceIntakes(ctx, intakes, rows));
  const outcomes: IntakeOutcome[] = [];
  for (const row of rows) outcomes[row.ord] = outcomeOf(row);
  return outcomes;
}

const startsOf = (intakes: readonly Intake[], rows: readonly IngestedRow[]): AgentStart[] =>
  rows.flatMap(({ ord, outcome }) =>
    outcome === 'created'
      ? (intakes[ord]?.runs ?? []).flatMap(({ runId, startedBy = [] }) => startedBy.map((key) => ({ runId, key })))
      : [],
  );

const outcomeOf = (row: IngestedRow): IntakeOutcome =>
  row.outcome === 'deduped' ? { kind: row.outcome, refId: row.refId } : { kind: row.outcome };

function announceIntakes(ctx: EngineContext, intakes: readonly Intake[], rows: readonly IngestedRow[]): void {
  const created = rows.flatMap((row) => (row.outcome === 'created' ? row : []));
  const { events } = processTally(ctx);
  for (const { ord, outcome } of rows) {
    const { event, runs = [] } = intakes[ord] ?? {};
    if (outcome === 'created' && event) events[event.source] += 1;
    else if (outcome === 'deduped') for (const run of runs) tallyOfWorkflow(ctx, run).withheld.dedupeId += 1;
  }
  announceRuns(
    ctx,
    created.flatMap(({ ord, createdAt }) => (intakes[ord]?.runs ?? []).map((run) => ({ run, createdAt }))),
    created.flatMap((row) => row.gatedSlots),
  );
}
