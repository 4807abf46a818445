import type { EngineContext } from '../context.ts';
import { oneTrip, retryTransient, type TripPart } from '../db/index.ts';
import { planCalls } from '../inference/index.ts';
import { releaseRuns } from '../work/index.ts';
import type { CommitOutcome, Committed } from './commit.ts';
import { announceCommit } from './commitPass.ts';
import type { Decision } from './decide.ts';
import { isModelCall, newCalls } from './side-effects/requestInference.ts';
import { commitParked, soleParked } from './sql/commitParked.ts';
import { type CommittedRow, commitPasses } from './sql/commitPasses.ts';

/** Whether model calls are all that an answer causes. */
export const makesCallsOnly = ({ sideEffects, calls }: Decision): boolean =>
  calls.length === 0 && sideEffects.length > 0 && sideEffects.every(isModelCall);

/**
 * Commits an answer whose steps await models, in one round trip. A process that calls models may
 * lease the calls by the same commit, and sends them at once. After a broken connection, the claim
 * number tells whether a former try was committed, as in `commitPass`.
 */
export async function commitCalls(ctx: EngineContext, decision: Decision): Promise<Committed> {
  const { commit } = decision;
  const { pass, steps } = commit;
  let isUncertain = false;
  const outcome = await retryTransient((tries) => {
    isUncertain = tries > 0;
    return write(ctx, decision);
  });
  if (outcome.kind === 'lost' && isUncertain) await releaseRuns(ctx, pass.dispatcherId, [pass.runId]);
  return { steps, outcome };
}

async function write(ctx: EngineContext, { commit, sideEffects, ai }: Decision): Promise<CommitOutcome> {
  const made = newCalls(commit.pass, sideEffects.filter(isModelCall));
  const plan = planCalls(ctx, made, { isCapped: ai !== undefined });
  const now = ctx.clock.sql();
  const send = (committing: TripPart<CommittedRow>) => oneTrip(ctx.db, plan.lock, committing, plan.insert);
  try {
    const sole = soleParked(commit);
    let [, rows, seated] = await send(
      sole ? commitParked.part({ ...sole, now }) : commitPasses.part({ commits: [commit], now }),
    );
    if (sole && rows.length === 0) [, rows, seated] = await send(commitPasses.part({ commits: [commit], now }));
    plan.recorded(seated);
    return announceCommit(ctx, commit, rows);
  } catch (error) {
    plan.failed(true);
    throw error;
  }
}
