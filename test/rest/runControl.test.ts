import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { updateProject } from '../../src/engine/projects/index.ts';
import { complete, memoOf, ScriptedDispatcher, steps } from '../support/scriptedRunner.ts';
import { type RestServer, startRest } from './restServer.ts';

let rest: RestServer;
let dispatcher: ScriptedDispatcher;

const script = (request: InvokeRequest) => {
  if (request.ctx.workflow === 'idle') return steps([{ op: 'Sleep', name: 'nap', sleepMs: 3_600_000 }]);
  for (const name of ['a', 'b']) if (!memoOf(request, name)) return steps([{ op: 'StepRun', name, data: name }]);
  return complete(request.event.data);
};

beforeAll(async () => {
  rest = await startRest();
  const workflows = [{ name: 'quick' }, { name: 'idle' }];
  await rest.call('POST', '/register', { app: 'shop', runner: 'r1', url: 'http://127.0.0.1:9/', workflows });
  dispatcher = await new ScriptedDispatcher(rest.engine, script).start();
});
afterAll(() => rest.close());
beforeEach(() => updateProject(rest.engine, { id: rest.projectId, suspended: false }));

const post = (path: string, body?: unknown) => rest.call('POST', path, body);

async function start(workflow: string, body: object = {}): Promise<string> {
  return (await post(`/workflows/shop/${workflow}/trigger`, body)).body.runId;
}

async function finished(body: object = {}): Promise<string> {
  const runId = await start('quick', body);
  await dispatcher.runOnce();
  return runId;
}

const suspend = () => updateProject(rest.engine, { id: rest.projectId, suspended: true });

describe('a control that takes no body', () => {
  test.each(['cancel', 'pause'])(
    '%s changes nothing where one is sent that is no JSON, or too large',
    async (control) => {
      const id = await start('quick');
      for (const [body, status] of [
        ['{', 400],
        [' '.repeat(2 * 1024 * 1024), 413],
      ] as const)
        expect(await post(`/runs/${id}/${control}`, body)).toMatchObject({ status });
      expect((await rest.call('GET', `/runs/${id}`)).body).toMatchObject({ status: 'queued' });
    },
  );

  test('ignores whatever JSON is sent', async () => {
    for (const body of ['{"reason":"late"}', 'null', '[1]']) {
      const id = await start('quick');
      for (const control of ['pause', 'resume', 'cancel'])
        expect(await post(`/runs/${id}/${control}`, body), control).toMatchObject({ status: 200 });
    }
  });
});

describe('pause and resume', () => {
  test('answer 200 with the run: paused, then queued', async () => {
    const id = await start('quick');
    const pausedBy = { reason: 'manual', actor: 'a secret key' };
    for (const _ of [1, 2])
      expect(await post(`/runs/${id}/pause`)).toMatchObject({ status: 200, body: { id, status: 'paused', pausedBy } });
    const resumed = await post(`/runs/${id}/resume`);
    expect(resumed).toMatchObject({ status: 200, body: { id, status: 'queued', workflow: 'quick', app: 'shop' } });
    expect(resumed.body).not.toHaveProperty('pausedBy');
    await dispatcher.runOnce();
    expect((await rest.call('GET', `/runs/${id}`)).body).toMatchObject({ status: 'succeeded' });
  });

  test('of a sleeping run end in waiting where nothing is due yet', async () => {
    const id = await start('idle');
    await dispatcher.runOnce();
    expect(await post(`/runs/${id}/pause`)).toMatchObject({ body: { status: 'paused' } });
    expect(await post(`/runs/${id}/resume`)).toMatchObject({ status: 200, body: { status: 'waiting' } });
  });

  test('answer 409 with the texts of the contract', async () => {
    const id = await finished();
    expect(await post(`/runs/${id}/pause`)).toMatchObject({
      status: 409,
      body: { error: 'run already in a terminal state' },
    });
    expect(await post(`/runs/${id}/cancel`)).toMatchObject({
      status: 409,
      body: { error: 'run already in a terminal state' },
    });
    expect(await post(`/runs/${id}/resume`)).toMatchObject({
      status: 409,
      body: { error: 'run already in a terminal state' },
    });
    expect(await post(`/runs/${await start('idle')}/resume`)).toMatchObject({
      status: 409,
      body: { error: 'run is not paused' },
    });
  });

  test('are open to a suspended project', async () => {
    const id = await start('idle');
    await suspend();
    for (const call of ['pause', 'resume', 'cancel'])
      expect(await post(`/runs/${id}/${call}`)).toMatchObject({ status: 200 });
  });
});

describe('replay', () => {
  test('answers 200 with the new run, queued, and takes another input', async () => {
    const id = await finished({ input: { n: 1 }, tags: { customer: 'c1' } });
    for (const [body, input] of [
      [undefined, '{"n":1}'],
      [{}, '{"n":1}'],
      ['{"input":1e400}', '1e400'],
      ['{"input":null}', 'null'],
    ] as const) {
      const answer = await post(`/runs/${id}/replay`, body);
      expect(answer).toMatchObject({
        status: 200,
        body: { id: expect.any(String), status: 'queued', replayOf: id, tags: { customer: 'c1' } },
      });
      expect(answer.body.id).not.toBe(id);
      expect((await rest.call('GET', `/runs/${answer.body.id}`)).text).toContain(`"input":${input}`);
    }
    expect((await rest.call('GET', `/runs?replayOf=${id}`)).body).toHaveLength(4);
  });

  test('answers 409 while the run is unfinished', async () => {
    const id = await start('idle');
    const refusal = { status: 409, body: { error: 'run is not in a terminal state' } };
    expect(await post(`/runs/${id}/replay`)).toMatchObject(refusal);
    expect(await post(`/runs/${id}/retry-from-step`, { step: 'nap' })).toMatchObject(refusal);
  });
});

describe('retry-from-step', () => {
  test('answers 200 with the new run, whose step list shows what it carried', async () => {
    const id = await finished();
    const { status, body } = await post(`/runs/${id}/retry-from-step`, { step: 'b' });
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'queued', replayOf: id } });
    const list = await rest.call('GET', `/runs/${body.id}/steps`);
    expect(list.body).toMatchObject([{ name: 'a', index: 0, attempt: 1, status: 'succeeded', output: 'a' }]);
  });

  test('answers 400 without a step, and 404 for one that the run does not have', async () => {
    const id = await finished();
    for (const body of [undefined, {}, { step: '' }, { step: null }, { step: 1 }])
      expect(await post(`/runs/${id}/retry-from-step`, body)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('step') },
      });
    expect(await post(`/runs/${id}/retry-from-step`, { step: 'c' })).toMatchObject({
      status: 404,
      body: { error: 'step not found' },
    });
  });
});

describe('bulk calls', () => {
  test('answer 200 with the counts', async () => {
    const tags = { batch: newId() };
    for (const workflow of ['idle', 'idle']) await start(workflow, { tags });
    const cancel = await post('/runs/bulk-cancel', { tags });
    expect(cancel).toMatchObject({ status: 200 });
    expect(cancel.body).toMatchObject({ matched: 2, cancelled: 2, skipped: 0, failed: 0, capped: false });
    const since = new Date().toISOString();
    await finished();
    const replay = await post('/runs/bulk-replay', {
      since,
      workflow: 'quick',
      status: 'succeeded',
      runType: 'manual',
    });
    expect(replay).toMatchObject({ status: 200 });
    expect(replay.body).toMatchObject({ matched: 1, replayed: 1, skipped: 0, failed: 0, capped: false });
  });

  test.each(['/runs/bulk-replay', '/runs/bulk-cancel'])('%s answers 400 to what it cannot read', async (path) => {
    for (const body of [undefined, '{', '[]', '{}', '{"app":null}', '{"unknown":1}', '{"status":"all"}'])
      expect(await post(path, body), String(body)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    for (const [field, value] of [
      ['status', 'late'],
      ['status', 1],
      ['runType', 'webhook'],
      ['since', 'yesterday'],
      ['since', 1],
      ['app', 1],
    ])
      expect(await post(path, { [String(field)]: value })).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining(String(field)) },
      });
  });

  test('a filter longer than any name is refused by its name', async () => {
    for (const path of ['/runs/bulk-replay', '/runs/bulk-cancel'])
      for (const field of ['app', 'workflow', 'dedupeId'])
        expect(await post(path, { [field]: 'x'.repeat(257) })).toMatchObject({
          status: 400,
          body: { error: `${field} is longer than 256 characters` },
        });
  });

  test('bulk-cancel answers 400 to tags beyond their limits; bulk-replay knows no tags', async () => {
    expect(await post('/runs/bulk-cancel', { tags: { 'a b': 'x' } })).toMatchObject({ status: 400 });
    expect(await post('/runs/bulk-replay', { tags: { a: 'x' } })).toMatchObject({ status: 400 });
  });
});

test('a suspended project refuses every way of replaying and both bulk calls with 403', async () => {
  const id = await finished();
  const unfinished = await start('idle');
  await suspend();
  for (const [path, body] of [
    [`/runs/${id}/replay`, {}],
    [`/runs/${id}/retry-from-step`, { step: 'a' }],
    ['/runs/bulk-replay', { workflow: 'nothing' }],
    ['/runs/bulk-cancel', { workflow: 'nothing' }],
    [`/runs/${unfinished}/replay`, {}],
    [`/runs/${unfinished}/retry-from-step`, { step: 'a' }],
    [`/runs/${unfinished}/retry-from-step`, {}],
    ['/runs/bulk-replay', {}],
    ['/runs/bulk-cancel', {}],
  ] as const)
    expect(await post(path, body)).toMatchObject({ status: 403, body: { error: 'project is suspended' } });
});

describe('the audit log', () => {
  test('holds every accepted call newest first, with the name of its key, and no refused one', async () => {
    const id = await finished();
    await post(`/runs/${id}/pause`);
    await post(`/runs/${id}/retry-from-step`, { step: 'nothing' });
    const { body: fork } = await post(`/runs/${id}/retry-from-step`, { step: 'b' });
    await post(`/runs/${fork.id}/cancel`);
    const log = await rest.call('GET', `/control-actions?runId=${fork.id}`);
    const shared = { id: expect.any(String), actor: 'a secret key', createdAt: expect.any(String) };
    expect(log.body).toEqual([
      { ...shared, action: 'cancel', runId: fork.id },
      { ...shared, action: 'retry_from_step', runId: id, newRunId: fork.id, detail: { step: 'b' } },
    ]);
    expect((await rest.call('GET', `/control-actions?runId=${id}`)).body).toHaveLength(1);
  });

  test('filters by action, pages, and is of the project alone', async () => {
    const tags = { batch: newId() };
    await post('/runs/bulk-cancel', { tags });
    const [entry] = (await rest.call('GET', '/control-actions?action=bulk_cancel&limit=1')).body;
    expect(entry).toMatchObject({ action: 'bulk_cancel', detail: { filter: { tags }, matched: 0, cancelled: 0 } });
    expect(entry).not.toHaveProperty('runId');
    const first = await rest.call('GET', '/control-actions?limit=1');
    const cursor = first.headers.get('x-next-cursor');
    const second = await rest.call('GET', `/control-actions?limit=1&cursor=${cursor}`);
    expect(second.body[0].id < first.body[0].id).toBe(true);
    const { secret } = await rest.stranger();
    expect((await rest.call('GET', '/control-actions', undefined, { key: secret })).body).toEqual([]);
    expect((await rest.call('GET', '/control-actions', undefined, { key: rest.keys.public })).status).toBe(200);
  });

  test('answers 400 to an unknown action and to a limit that is none', async () => {
    for (const query of ['action=delete', 'action=CANCEL', 'limit=x', 'limit=0', 'limit=1.5'])
      expect(await rest.call('GET', `/control-actions?${query}`), query).toMatchObject({ status: 400 });
    expect((await rest.call('GET', '/control-actions?limit=5000')).status).toBe(200);
    expect((await rest.call('GET', '/control-actions?runId=x')).body).toEqual([]);
  });
});
