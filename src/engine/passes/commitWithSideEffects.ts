import { type Admission, admissionTransaction, StaleIntake } from '../admission/index.ts';
import { type RecordedCall, recordUsage } from '../ai/index.ts';
import type { EngineContext } from '../context.ts';
import { retryTransient, type Transaction } from '../db/index.ts';
import { deliverEvent } from '../events/index.ts';
import type { NewEvent } from '../ingest/index.ts';
import type { ProjectSnapshot } from '../model/index.ts';
import { onCurrentSnapshot, Refusal } from '../registry/index.ts';
import { releaseRuns } from '../work/index.ts';
import type { AiCall, CommitOutcome, Committed, StepRow } from './commit.ts';
import { commitWithin } from './commitPass.ts';
import { type Decision, nextAfter } from './decide.ts';
import { begunWaits, searchLog } from './side-effects/beginWaits.ts';
import { isRefused, type Prepared, perform, prepare } from './side-effects/perform.ts';
import type { SideEffectScene } from './side-effects/sideEffect.ts';
import { lockLease } from './sql/lockLease.ts';

interface Written extends Committed {
  admissions: Admission[];
}

/**
 * Commits an answer with side effects: emitted events, child runs, approvals, scores, custom sends,
 * and the spend of AI steps. The transaction that records the steps also writes their side effects.
 * So each exists once, however often the pass is repeated (4.10 opcode rules).
 */
export async function commitWithSideEffects(ctx: EngineContext, decision: Decision): Promise<Committed> {
  const { pass } = decision.commit;
  const earlier = await searchLog(ctx, pass, decision.sideEffects);
  let uncertain = false;
  const written = await retryTransient((tries) => {
    uncertain = tries > 0;
    return onCurrentSnapshot(ctx, pass.projectId, async (snapshot) => {
      const prepared = await prepare({ ctx, snapshot, pass }, decision.sideEffects);
      const write = () => attempt(ctx, { snapshot, prepared, earlier }, decision);
      return isRefused(prepared) ? new Refusal(write) : write();
    });
  });
  if (written.outcome.kind === 'lost') {
    if (uncertain) await releaseRuns(ctx, pass.dispatcherId, [pass.runId]);
    return written;
  }
  await Promise.all(
    written.admissions.map((each) =>
      each.kind === 'created' && each.intake.event ? deliver(ctx, each.intake.event) : undefined,
    ),
  );
  return written;
}

/** Announces a commit that is durable. `recoverPending` retries a look-up that failed. */
async function deliver(ctx: EngineContext, event: NewEvent): Promise<void> {
  try {
    await deliverEvent(ctx, event);
  } catch (error) {
    ctx.log.warn({ error, eventId: event.eventId }, 'waking the waiters of an emitted event failed: retrying later');
  }
}

/** The calls of a step, which its runner reports as a sum. */
const reported = ({ step: { index, attempt }, usage }: AiCall): RecordedCall => ({
  ...usage,
  stepIndex: index,
  attempt,
  send: 0,
  unknown: false,
});

interface Plan {
  snapshot: ProjectSnapshot;
  prepared: Prepared;
  earlier: SideEffectScene['earlier'];
}

async function attempt(ctx: EngineContext, plan: Plan, decision: Decision): Promise<Written | 'stale'> {
  try {
    return await ctx.db.transaction((tx) => writeAll(ctx, tx, plan, decision));
  } catch (error) {
    if (error instanceof StaleIntake) return 'stale';
    throw error;
  }
}

async function writeAll(
  ctx: EngineContext,
  tx: Transaction,
  { snapshot, prepared, earlier }: Plan,
  { commit, sideEffects, calls }: Decision,
): Promise<Written> {
  const { pass } = commit;
  const { runId, dispatcherId, claimNo } = pass;
  const admission = admissionTransaction(ctx, tx, runId);
  const admissions: Admission[] = [];
  const scene: SideEffectScene = { ctx, tx, snapshot, pass, admission, admissions, earlier };
  const [lease] = await lockLease(tx, { runId, dispatcherId, claimNo });
  if (!lease) return { steps: [], admissions, outcome: { kind: 'lost' } };
  const done = new Map(
    (await perform(scene, sideEffects, prepared)).map((step): [string, StepRow] => [step.stepId, step]),
  );
  const { projectId, app, workflow } = pass;
  const spender = { projectId, runId, app, workflow, definition: snapshot.workflow(app, workflow) };
  await recordUsage(scene, spender, calls.map(reported));
  const steps = commit.steps.map((step) => done.get(step.stepId) ?? step);
  const waits = [...commit.waits, ...begunWaits(sideEffects, earlier)];
  const complete = { ...commit, steps, waits, next: commit.next.kind === 'finish' ? commit.next : nextAfter(steps) };
  const written = await commitWithin(ctx, tx, complete);
  // A run whose own event started another holder of its singleton is cancelled, once its effects
  // are recorded.
  if (admission.isOwnDisplaced) await admission.cancelDisplaced([runId]);
  const outcome: CommitOutcome = admission.isOwnDisplaced ? { kind: 'released' } : written;
  return { steps, admissions, outcome };
}
