import { Batcher } from '../batcher.ts';
import type { EngineContext } from '../context.ts';
import { announce, type Intake, ingest } from '../ingest/index.ts';
import { type Admission, admitWithin, StaleIntake } from './admitWithin.ts';
import type { Scene } from './candidate.ts';

const maxItems = 200;
const maxInFlight = 2;
const maxQueued = 20_000;

type Answer = Admission | { kind: 'stale' };

const batchers = new WeakMap<EngineContext, Batcher<Intake, Answer>>();

function batcherOf(ctx: EngineContext): Batcher<Intake, Answer> {
  let batcher = batchers.get(ctx);
  if (!batcher) {
    const flush = (intakes: Intake[]) => admitTogether(ctx, intakes);
    batcher = new Batcher({ flush, maxItems, maxInFlight, maxQueued });
    batchers.set(ctx, batcher);
  }
  return batcher;
}

/**
 * Takes starts through flow control and records what comes of them, together with others that arrive meanwhile. Committed
 * and announced when it resolves. What no policy can hold back goes straight to the record.
 */
export async function admit(ctx: EngineContext, intake: Intake): Promise<Answer> {
  if (intake.runs.some((run) => run.gates)) return batcherOf(ctx).add(intake);
  const outcome = await ingest(ctx, intake);
  return outcome.kind === 'created' ? { ...outcome, intake, withheld: intake.runs.map(() => undefined) } : outcome;
}

async function admitTogether(ctx: EngineContext, intakes: readonly Intake[]): Promise<Answer[]> {
  const afterCommit: (() => void)[] = [];
  try {
    const admissions = await ctx.db.transaction((tx) => {
      afterCommit.length = 0;
      return admitWithin(sceneOf(ctx, tx, afterCommit), intakes);
    });
    announceAdmitted(ctx, admissions, afterCommit);
    return admissions;
  } catch (error) {
    if (!(error instanceof StaleIntake)) throw error;
    for (const projectId of error.projectIds) ctx.registry.invalidate(projectId);
    return intakes.map(() => ({ kind: 'stale' }));
  }
}

/** A scene for a transaction; `own` is a run whose queue row the caller has locked in it. */
export const sceneOf = (
  ctx: EngineContext,
  tx: Scene['tx'],
  afterCommit: (() => void)[],
  own?: string | undefined,
): Scene => ({ ctx, tx, afterCommit, own, isOwnDisplaced: false });

/** Tells this process what was committed. */
export function announceAdmitted(
  ctx: EngineContext,
  admissions: readonly Admission[],
  afterCommit: readonly (() => void)[],
): void {
  const created = admissions.flatMap((each) => (each.kind === 'created' ? each : []));
  announce(
    ctx,
    created.map((each) => each.intake),
    created.flatMap((each) => each.gatedSlots),
  );
  for (const each of afterCommit) each();
}
