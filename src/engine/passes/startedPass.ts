import type { EngineContext } from '../context.ts';
import type { NewRun } from '../ingest/index.ts';
import { loadCaps } from './loadCaps.ts';
import { Memo } from './memo.ts';
import type { Pass } from './pass.ts';
import { fruitful } from './transport.ts';

/**
 * The first pass of a run that was leased to a dispatcher with its start: what `claimRuns` would
 * have read.
 */
export async function startedPass(
  ctx: EngineContext,
  run: NewRun,
  { dispatcherId, startedAt }: { dispatcherId: string; startedAt: Date },
): Promise<Pass> {
  const pass: Pass = {
    runId: run.runId,
    projectId: run.projectId,
    app: run.app,
    workflow: run.workflow,
    laneId: run.laneId,
    runner: run.runner ?? '',
    dispatcherId,
    taken: undefined,
    depth: run.depth,
    parentRunId: undefined,
    input: inputOf(run, startedAt),
    claimNo: 1,
    wakes: 0,
    attempt: 1,
    dbNow: startedAt,
    ...fruitful,
    memo: new Memo(),
    ai: undefined,
  };
  await loadCaps(ctx, [pass]);
  return pass;
}

function inputOf(run: NewRun, startedAt: Date): Pass['input'] {
  return {
    eventName: run.eventName ?? run.workflow,
    eventId: run.eventId,
    data: run.input.text,
    events: run.events?.text,
    receivedAt: startedAt,
    tags: run.tags === undefined ? undefined : JSON.parse(run.tags),
    session: run.session,
    triggerKind: run.triggerKind,
    replayOf: undefined,
    onFailure: undefined,
  };
}
