import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import type { Principal } from '../../src/engine/keys/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { complete, memoOf, ScriptedDispatcher, steps } from '../support/scriptedRunner.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { query, secretKey } from './fixtures.ts';

const test = useEngine();
let projectId: string;
let dispatcher: ScriptedDispatcher;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'flow' }]);
  dispatcher = await new ScriptedDispatcher(test.engine, (request) =>
    memoOf(request, 'a') ? complete(request.event.data) : steps([{ op: 'StepRun', name: 'a', data: 1 }]),
  ).start();
});

interface Answer {
  [field: string]: { run: { id: string } & Record<string, unknown> };
}

const ask = (document: string, principal: Principal = secretKey(projectId)) =>
  query(test.engine, principal, document) as Promise<Answer>;
const control = async (field: string, input: string, selection = 'id status pausedBy { reason actor } replayOf') =>
  (await ask(`mutation { ${field}(input: {${input}}) { run { ${selection} } } }`))[field]?.run;

async function start(): Promise<string> {
  const document =
    'mutation { triggerWorkflow(input: { app: "default", name: "flow", input: { n: 1 } }) { run { id } } }';
  return (await ask(document))['triggerWorkflow']?.run.id ?? '';
}

async function finished(): Promise<string> {
  const runId = await start();
  await dispatcher.runOnce();
  return runId;
}

describe('the control mutations', () => {
  it('pause and resume a run, and answer it', async () => {
    const runId = await start();
    expect(await control('pauseRun', `runId: "${runId}"`)).toEqual({
      id: runId,
      status: 'PAUSED',
      pausedBy: { reason: 'MANUAL', actor: 'test key' },
      replayOf: null,
    });
    expect(await control('resumeRun', `runId: "${runId}"`)).toMatchObject({ status: 'QUEUED', pausedBy: null });
  });

  it('replay a run and retry it from a step, and answer the new one', async () => {
    const source = await finished();
    const selection = 'id status replayOf input steps { name }';
    expect(await control('replayRun', `runId: "${source}"`, selection)).toEqual({
      id: expect.any(String),
      status: 'QUEUED',
      replayOf: source,
      input: { n: 1 },
      steps: [],
    });
    expect(await control('replayRun', `runId: "${source}", input: { n: 2 }`, selection)).toMatchObject({
      input: { n: 2 },
    });
    expect(await control('replayRun', `runId: "${source}", input: null`, 'input')).toEqual({ input: null });
    expect(await control('retryRunFromStep', `runId: "${source}", step: "a"`)).toMatchObject({ replayOf: source });
    const { run } = await ask(`{ run(id: "${source}") { replays { id } } }`);
    expect(run).toMatchObject({ replays: expect.arrayContaining([{ id: expect.any(String) }]) });
  });

  it('say NOT_FOUND, CONFLICT or BAD_USER_INPUT where they refuse', async () => {
    const [over, open] = [await finished(), await start()];
    for (const [field, input, kind] of [
      ['pauseRun', `runId: "${over}"`, 'conflict'],
      ['resumeRun', `runId: "${open}"`, 'conflict'],
      ['replayRun', `runId: "${open}"`, 'conflict'],
      ['retryRunFromStep', `runId: "${open}", step: "a"`, 'conflict'],
      ['retryRunFromStep', `runId: "${over}", step: ""`, 'invalid'],
      ['retryRunFromStep', `runId: "${over}", step: "z"`, 'notFound'],
      ['pauseRun', `runId: "${newId()}"`, 'notFound'],
      ['resumeRun', 'runId: "x"', 'notFound'],
    ] as const)
      await expect(control(field, input), `${field} ${input}`).rejects.toMatchObject({ kind });
  });

  it('act in bulk, and answer counts', async () => {
    await start();
    expect(
      await ask('mutation { bulkCancelRuns(input: { workflow: "flow" }) { matched cancelled skipped failed capped } }'),
    ).toMatchObject({ bulkCancelRuns: { failed: 0, capped: false } });
    const replayed = await ask(
      'mutation { bulkReplayRuns(input: { status: CANCELLED, runType: MANUAL }) { matched replayed skipped failed capped } }',
    );
    expect(replayed).toMatchObject({ bulkReplayRuns: { skipped: 0, failed: 0, capped: false } });
    await expect(ask('mutation { bulkReplayRuns(input: {}) { matched } }')).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('controlActions', () => {
  it('is the audit log, newest first, by action and run, in pages', async () => {
    const runId = await start();
    for (const field of ['pauseRun', 'resumeRun', 'pauseRun']) await control(field, `runId: "${runId}"`);
    const about = `runId: "${runId}"`;
    const { controlActions } = (await ask(
      `{ controlActions(${about}) { nodes { action runId newRunId actor detail run { id } } pageInfo { hasNextPage } } }`,
    )) as unknown as { controlActions: { nodes: { action: string }[] } };
    expect(controlActions.nodes.map((node) => node.action)).toEqual(['PAUSE', 'RESUME', 'PAUSE']);
    expect(controlActions.nodes[0]).toEqual({
      action: 'PAUSE',
      runId,
      newRunId: null,
      actor: 'test key',
      detail: null,
      run: { id: runId },
    });
    const pauses = (after: string) =>
      ask(
        `{ controlActions(${about}, action: PAUSE, first: 1${after}) { nodes { id } pageInfo { hasNextPage endCursor } } }`,
      ) as unknown as Promise<{ controlActions: { nodes: { id: string }[]; pageInfo: Record<string, unknown> } }>;
    const first = await pauses('');
    expect(first.controlActions.pageInfo).toMatchObject({ hasNextPage: true });
    const second = await pauses(`, after: "${first.controlActions.pageInfo['endCursor']}"`);
    expect(second.controlActions.pageInfo).toMatchObject({ hasNextPage: false });
    expect(second.controlActions.nodes[0]?.id).not.toBe(first.controlActions.nodes[0]?.id);
    await expect(ask('{ controlActions(after: "x") { nodes { id } } }')).rejects.toMatchObject({ kind: 'invalid' });
  });
});
