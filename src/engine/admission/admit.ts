import { Batcher } from '../batcher.ts';
import type { EngineContext } from '../context.ts';
import { type Intake, ingest } from '../ingest/index.ts';
import { perEngine } from '../perEngine.ts';
import { admitTogether, type Settled } from './admitTogether.ts';
import type { Admission } from './admitWithin.ts';

const maxItems = 200;
const maxInFlight = 2;
const maxQueued = 20_000;

const batcherOf = perEngine((ctx) => {
  const flush = (intakes: Intake[]): Promise<Settled[]> => admitTogether(ctx, intakes);
  return new Batcher({ flush, maxItems, maxInFlight, maxQueued });
});

/**
 * Takes starts through flow control and records the admitted ones. Starts that arrive at the same
 * time share a transaction. The promise resolves after the commit and the announcement. Starts
 * without gates are recorded at once.
 */
export async function admit(ctx: EngineContext, intake: Intake): Promise<Admission | { kind: 'stale' }> {
  if (intake.runs.some((run) => run.gates)) {
    const settled = await batcherOf(ctx).add(intake);
    if (settled.kind === 'failed') throw settled.reason;
    return settled;
  }
  const outcome = await ingest(ctx, intake);
  return outcome.kind === 'created' ? { ...outcome, intake, withheld: intake.runs.map(() => undefined) } : outcome;
}
