import type { EngineContext } from '../context.ts';
import type { Queryable } from '../db/statement.ts';
import { retryTransient } from '../db/transient.ts';
import { planEvent, wakeWaiters } from '../events/index.ts';
import { announce, type Intake, type IntakeOutcome, ingestWithin } from '../ingest/index.ts';
import type { ProjectSnapshot } from '../registry/registry.ts';
import { onCurrentSnapshot } from '../runs/onCurrentSnapshot.ts';
import { releaseRuns } from '../work/releaseRuns.ts';
import type { CommitOutcome, PassCommit } from './commit.ts';
import { announceCommits, commitWithin, outcomesOf } from './commitPass.ts';
import type { Decision, EmittedEvent } from './decide.ts';
import { lockLease } from './sql/lockLease.ts';

const patienceMs = 60_000;

/** Thrown out of the transaction when the snapshot turned out to be old. */
class StaleSnapshot extends Error {}

interface Written {
  commit: PassCommit;
  rows: Awaited<ReturnType<typeof commitWithin>>;
  intakes: Intake[];
  outcome: CommitOutcome;
}

/**
 * Writes an answer that emits events: the events, the runs that they start and the steps that they complete are one
 * transaction, so that each is emitted once, however often the pass is repeated (4.10 opcode rules).
 */
export async function commitWithEvents(ctx: EngineContext, decision: Decision): Promise<CommitOutcome> {
  const { pass } = decision.commit;
  let uncertain = false;
  const written = await retryTransient((tries) => {
    uncertain = tries > 0;
    return onCurrentSnapshot(ctx, pass.projectId, (snapshot) => attempt(ctx, snapshot, decision));
  }, patienceMs);
  if (written.outcome.kind === 'lost') {
    if (uncertain) await releaseRuns(ctx, pass.dispatcherId, [pass.runId]);
    return written.outcome;
  }
  // The memo that the pass carries on with is the one that was committed.
  decision.commit.steps = written.commit.steps;
  announce(ctx, written.intakes);
  announceCommits(ctx, [written.commit], written.rows);
  await Promise.all(written.intakes.map(({ event }) => (event ? wakeWaiters(ctx, event.eventId) : 0)));
  return written.outcome;
}

async function attempt(ctx: EngineContext, snapshot: ProjectSnapshot, decision: Decision): Promise<Written | 'stale'> {
  try {
    return await ctx.db.transaction((tx) => writeAll(ctx, tx, snapshot, decision));
  } catch (error) {
    if (error instanceof StaleSnapshot) return 'stale';
    throw error;
  }
}

async function writeAll(
  ctx: EngineContext,
  tx: Queryable,
  snapshot: ProjectSnapshot,
  { commit, emits }: Decision,
): Promise<Written> {
  const { runId, dispatcherId, claimNo } = commit.pass;
  const [lease] = await lockLease(tx, { runId, dispatcherId, claimNo });
  if (!lease) return { commit, rows: [], intakes: [], outcome: { kind: 'lost' } };
  const intakes: Intake[] = [];
  const outputs = new Map<string, string>();
  for (const emit of emits) outputs.set(emit.step.stepId, await record(ctx, tx, snapshot, commit, emit, intakes));
  const steps = commit.steps.map((step) => ({ ...step, output: outputs.get(step.stepId) ?? step.output }));
  const complete = { ...commit, steps };
  const rows = await commitWithin(ctx, tx, [complete]);
  return { commit: complete, rows, intakes, outcome: outcomesOf([complete], rows)[0] ?? { kind: 'lost' } };
}

/** Records one event, and answers the memo of its step (rulings on memo data). */
async function record(
  ctx: EngineContext,
  tx: Queryable,
  snapshot: ProjectSnapshot,
  { pass }: PassCommit,
  { event }: EmittedEvent,
  intakes: Intake[],
): Promise<string> {
  const origin = { source: 'emit', sourceRunId: pass.runId, depth: pass.depth + 1 } as const;
  const { intake, eventId, triggered } = await planEvent(ctx, snapshot, event, origin);
  const [outcome]: (IntakeOutcome | undefined)[] = await ingestWithin(ctx, tx, [intake]);
  if (!outcome || outcome.kind === 'stale') throw new StaleSnapshot();
  if (outcome.kind === 'deduped') return JSON.stringify({ eventId: outcome.refId, runIds: [] });
  intakes.push(intake);
  return JSON.stringify({ eventId, runIds: triggered.flatMap((each) => each.runId ?? []) });
}
