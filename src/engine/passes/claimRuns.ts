import type { StepError } from '@holdfast/sdk/protocol';
import type { EngineContext } from '../context.ts';
import { statusPayload } from '../timeline/index.ts';
import {
  type ClaimedRow,
  claimLimited,
  claimWork,
  type Demand,
  held,
  inTurn,
  splitDemands,
  suspectLeases,
  type Taken,
} from '../work/index.ts';
import { endOverdueSteps } from './endOverdue.ts';
import { loadCaps } from './loadCaps.ts';
import { readMemos } from './loadMemo.ts';
import { Memo } from './memo.ts';
import type { Pass, PassInput } from './pass.ts';
import { readStepError } from './readAnswer.ts';

interface Claim {
  dispatcherId: string;
  demands: readonly Demand[];
}

/**
 * Leases ready runs and reads what their invokes need. If the database fails halfway, whatever was
 * leased is handed back later (`releaseSuspects`), and the error is thrown.
 */
export async function claimRuns(ctx: EngineContext, claim: Claim): Promise<Pass[]> {
  if (claim.demands.length === 0) return [];
  return inTurn(ctx, async () => {
    try {
      return await lease(ctx, claim);
    } catch (error) {
      suspectLeases(ctx);
      throw error;
    }
  });
}

async function lease(ctx: EngineContext, { dispatcherId, demands }: Claim): Promise<Pass[]> {
  const { free, limited } = await splitDemands(ctx, demands);
  const taken = new Map<string, Taken>();
  const [freely, counted] = await together(
    free.length === 0 ? [] : claimWork(ctx.db, { dispatcherId, demands: free, now: ctx.clock.sql() }),
    claimLimited(ctx, { dispatcherId, demands: limited }),
  );
  const rows = [...freely, ...counted.map((each) => each.row)];
  for (const each of counted) taken.set(each.row.id, each.taken);
  // Only what was claimed before, or copied from another run, can have steps.
  const known = rows.filter((row) => row.claimNo > 1 || row.replayOf !== null).map((row) => row.id);
  const memos = await readMemos(ctx.db, known);
  const passes = rows.map((row) =>
    passOf(row, { dispatcherId, taken: taken.get(row.id) }, memos.get(row.id) ?? new Memo()),
  );
  await loadCaps(ctx, passes);
  for (const row of rows) if (row.turnedRunning) announce(ctx, row);
  await endOverdueSteps(ctx, passes);
  for (const pass of passes) held(ctx).add(pass.runId);
  return passes;
}

/** Both, or the error of one: but only once neither can lease anything any more. */
async function together<One, Other>(one: One | Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

function announce(ctx: EngineContext, row: ClaimedRow): void {
  const { projectId, id: runId, app, workflow, seq, now: ts } = row;
  const frames = [{ seq, kind: 'run_status', ts, payload: statusPayload('running') }] as const;
  ctx.bus.emit('run.frames', { projectId, runId, app, workflow, frames });
}

function passOf(row: ClaimedRow, { dispatcherId, taken }: Pick<Pass, 'dispatcherId' | 'taken'>, memo: Memo): Pass {
  return {
    runId: row.id,
    projectId: row.projectId,
    app: row.app,
    workflow: row.workflow,
    laneId: row.laneId,
    runner: row.runner ?? '',
    dispatcherId,
    taken,
    depth: row.depth,
    parentRunId: row.parentRunId ?? undefined,
    input: inputOf(row),
    claimNo: row.claimNo,
    wakes: row.wakes,
    attempt: row.attempt,
    dbNow: row.now,
    unanswered: row.unanswered,
    repeats: row.repeats,
    memo,
    ai: undefined,
  };
}

function inputOf(row: ClaimedRow): PassInput {
  return {
    eventName: row.eventName ?? row.workflow,
    eventId: row.eventId ?? undefined,
    data: row.input,
    events: row.events ?? undefined,
    receivedAt: row.createdAt,
    tags: row.tags ?? undefined,
    session: row.session ?? undefined,
    triggerKind: row.triggerKind,
    replayOf: row.replayOf ?? undefined,
    onFailure: row.onFailureOf === null ? undefined : { error: handledError(row.handledError) },
  };
}

const handledError = (text: string | null): StepError =>
  (text === null ? undefined : readStepError(JSON.parse(text))) ?? { message: 'the run failed' };
