import type { StepError } from '@holdfast/sdk/protocol';
import type { EngineContext } from '../context.ts';
import type { NewRun } from '../ingest/index.ts';
import { readEnvelope } from '../model/index.ts';
import type { ClaimedRow, Taken } from '../work/index.ts';
import { endOverdueSteps } from './endOverdue.ts';
import { loadCaps } from './loadCaps.ts';
import { Memo } from './memo.ts';
import type { Pass, PassInput } from './pass.ts';
import { readStepError } from './readAnswer.ts';
import { StartedSteps } from './startedSteps.ts';
import { fruitful } from './transport.ts';

/** A leased run, as a pass needs it. */
type LeasedRun = Omit<ClaimedRow, 'seq' | 'turnedRunning' | 'dated' | 'dueAt'>;

interface Lease {
  dispatcherId: string;
  taken?: Taken | undefined;
  memo?: Memo | undefined;
}

export function buildPass(run: LeasedRun, { dispatcherId, taken, memo = new Memo() }: Lease): Pass {
  return {
    runId: run.id,
    projectId: run.projectId,
    app: run.app,
    workflow: run.workflow,
    laneId: run.laneId,
    runner: run.runner ?? '',
    dispatcherId,
    taken,
    depth: run.depth,
    parentRunId: run.parentRunId ?? undefined,
    startedAt: run.startedAt ?? run.now,
    input: inputOf(run),
    claimNo: run.claimNo,
    wakes: run.wakes,
    attempt: run.attempt,
    dbNow: run.now,
    unanswered: run.unanswered,
    repeats: run.repeats,
    memo,
    started: new StartedSteps(),
    version: undefined,
    told: undefined,
    reported: undefined,
    ai: undefined,
  };
}

/** The first pass of an eager start: the same as `claimRuns` would build from the stored run. */
export async function startedPass(
  ctx: EngineContext,
  run: NewRun,
  { dispatcherId, startedAt }: { dispatcherId: string; startedAt: Date },
): Promise<Pass> {
  const pass = buildPass(
    {
      id: run.runId,
      projectId: run.projectId,
      app: run.app,
      workflow: run.workflow,
      laneId: run.laneId,
      runner: run.runner ?? null,
      depth: run.depth,
      triggerKind: run.triggerKind,
      eventName: run.eventName ?? null,
      eventId: run.eventId ?? null,
      session: run.session ?? null,
      tags: run.tags === undefined ? null : JSON.parse(run.tags),
      input: run.input.text,
      events: run.events?.text ?? null,
      envelope: run.envelope ?? null,
      createdAt: startedAt,
      startedAt,
      now: startedAt,
      claimNo: 1,
      attempt: 1,
      wakes: 0,
      ...fruitful,
      ...withoutOrigin,
    },
    { dispatcherId },
  );
  await loadCaps(ctx, [pass]);
  return pass;
}

/** The pass of an eager wake: the same as `claimRuns` would build. */
export async function wokenPass(ctx: EngineContext, run: ClaimedRow, lease: Lease): Promise<Pass> {
  const pass = buildPass(run, lease);
  await loadCaps(ctx, [pass]);
  await endOverdueSteps(ctx, [pass]);
  return pass;
}

/** An eager start has no parent, copies no run and handles no failure (`plainStart`). */
const withoutOrigin = { replayOf: null, parentRunId: null, onFailureOf: null, handledError: null };

function inputOf(run: LeasedRun): PassInput {
  return {
    eventName: run.eventName ?? run.workflow,
    eventId: run.eventId ?? undefined,
    data: run.input,
    events: run.events ?? undefined,
    envelope: readEnvelope(run.envelope),
    receivedAt: run.createdAt,
    tags: run.tags ?? undefined,
    session: run.session ?? undefined,
    triggerKind: run.triggerKind,
    replayOf: run.replayOf ?? undefined,
    onFailure: run.onFailureOf === null ? undefined : { error: handledError(run.handledError) },
  };
}

const handledError = (text: string | null): StepError =>
  (text === null ? undefined : readStepError(JSON.parse(text))) ?? { message: 'the run failed' };
