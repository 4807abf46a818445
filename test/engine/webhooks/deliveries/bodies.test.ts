import { beforeAll, describe, expect, test } from 'vitest';
import { selectDeliveryBodies } from '../../../../src/engine/webhooks/deliveries/index.ts';
import { insertRun, insertStep } from '../../../schema/fixtures.ts';
import { createTestProject, useEngine } from '../../../support/engine.ts';
import { insertDelivery } from './scene.ts';

const on = useEngine();
let projectId: string;
beforeAll(async () => {
  projectId = await createTestProject(on.engine);
});

const createdAt = new Date('2026-01-02T03:04:05.006Z');
const startedAt = new Date('2026-01-02T03:04:06.000Z');
const endedAt = new Date('2026-01-02T03:04:07.250Z');

async function bodyOf(id: string): Promise<string> {
  const [row] = await selectDeliveryBodies(on.db, { ids: [id] });
  return row?.payload ?? '';
}

describe('the body of a run delivery', () => {
  test('has the fields of the run that have a value, and no others', async () => {
    const run = {
      status: 'succeeded',
      createdAt,
      startedAt,
      endedAt,
      result: '{"a": 1}',
      tags: { team: 'a"b' },
    } as const;
    const runId = await insertRun(on.engine, projectId, { ...run, workflow: 'tidy "up"' });
    const id = await insertDelivery(on.engine, projectId, { runId, runStatus: 'succeeded', createdAt: endedAt });
    expect(JSON.parse(await bodyOf(id))).toEqual({
      id,
      kind: 'run.succeeded',
      ts: '2026-01-02T03:04:07.250Z',
      run: {
        id: runId,
        app: 'shop',
        workflow: 'tidy "up"',
        status: 'succeeded',
        triggerKind: 'event',
        tags: { team: 'a"b' },
        result: { a: 1 },
        createdAt: '2026-01-02T03:04:05.006Z',
        startedAt: '2026-01-02T03:04:06.000Z',
        endedAt: '2026-01-02T03:04:07.250Z',
        durationMs: 1250,
      },
    });
  });

  test('names the event that started the run, and counts from the creation where no pass ran', async () => {
    const eventId = '01900000-0000-7000-8000-000000000001';
    const runId = await insertRun(on.engine, projectId, { status: 'cancelled', createdAt, endedAt, eventId, tags: {} });
    await on.db.query({ text: `update run set event_name = 'order.made' where id = $1`, values: [runId] });
    const id = await insertDelivery(on.engine, projectId, {
      runId,
      runStatus: 'cancelled',
      eventKind: 'run.cancelled',
    });
    const { run } = JSON.parse(await bodyOf(id));
    expect(run).toMatchObject({ eventName: 'order.made', eventId, status: 'cancelled', durationMs: 2244 });
    for (const field of ['startedAt', 'tags', 'result', 'error']) expect(run).not.toHaveProperty(field);
  });

  test.each([
    '1e400',
    '12345678901234567890',
    '-0',
    '{"__proto__": {"x": 1}, "b": [ 1,2 ]}',
    'null',
    String.raw`"\u0000 and \ud800"`,
  ])('holds the result %s as the runner wrote it', async (result) => {
    const runId = await insertRun(on.engine, projectId, { status: 'succeeded', result });
    const id = await insertDelivery(on.engine, projectId, { runId, runStatus: 'succeeded' });
    expect(await bodyOf(id)).toContain(`,"result":${result},"createdAt"`);
  });

  test('holds U+0000 and lone surrogates of an error', async () => {
    const error = String.raw`{"name":"E\u0000","message":"lone \udfff"}`;
    const runId = await insertRun(on.engine, projectId, { status: 'failed', error });
    const id = await insertDelivery(on.engine, projectId, { runId, runStatus: 'failed', eventKind: 'run.failed' });
    expect(await bodyOf(id)).toContain(`,"error":${error},"createdAt"`);
  });
});

describe('the body of a step delivery', () => {
  test('tells the status that the run had then, although the run went on', async () => {
    const run = { status: 'succeeded', createdAt, startedAt, endedAt, result: '7' } as const;
    const runId = await insertRun(on.engine, projectId, run);
    await insertStep(on.engine, runId, { index: 3, attempt: 2, name: 'pay', output: '1e400', startedAt, endedAt });
    const step = { eventKind: 'step.succeeded', runStatus: 'running', stepIndex: 3, stepAttempt: 2 };
    const text = await bodyOf(await insertDelivery(on.engine, projectId, { runId, ...step }));
    const body = JSON.parse(text);
    expect(body.run).toEqual({
      id: runId,
      app: 'shop',
      workflow: 'order',
      status: 'running',
      triggerKind: 'event',
      createdAt: createdAt.toISOString(),
      startedAt: startedAt.toISOString(),
    });
    const told = '"step":{"name":"pay","index":3,"attempt":2,"status":"succeeded","output":1e400,"durationMs":1250}}';
    expect(text.endsWith(told)).toBe(true);
  });

  test('has the error of a failed step, the reason of a skipped one, and null as an output', async () => {
    const runId = await insertRun(on.engine, projectId, { status: 'running' });
    await insertStep(on.engine, runId, { index: 0, status: 'failed', error: String.raw`{"message":"\ud800"}` });
    await insertStep(on.engine, runId, { index: 1, status: 'skipped', output: '"not needed"', startedAt, endedAt });
    await insertStep(on.engine, runId, { index: 2, output: 'null' });
    await insertStep(on.engine, runId, { index: 3 });
    const stepOf = async (eventKind: string, stepIndex: number): Promise<string> => {
      const step = { runId, runStatus: 'running', eventKind, stepIndex, stepAttempt: 1 };
      return (await bodyOf(await insertDelivery(on.engine, projectId, step))).split('"status":').at(-1) ?? '';
    };
    expect(await stepOf('step.failed', 0)).toBe(String.raw`"failed","error":{"message":"\ud800"},"durationMs":0}}`);
    expect(await stepOf('step.skipped', 1)).toBe('"skipped","output":"not needed","durationMs":0}}');
    expect(await stepOf('step.succeeded', 2)).toBe('"succeeded","output":null,"durationMs":0}}');
    expect(await stepOf('step.succeeded', 3)).toBe('"succeeded","durationMs":0}}');
  });
});

test('a custom send is sent as the step gave it', async () => {
  const payload = '{ "big": 12345678901234567890, "__proto__": -0 }';
  const runId = await insertRun(on.engine, projectId, { status: 'succeeded', result: '1' });
  expect(await bodyOf(await insertDelivery(on.engine, projectId, { eventKind: 'custom', runId, payload }))).toBe(
    payload,
  );
  expect(
    await bodyOf(await insertDelivery(on.engine, projectId, { eventKind: 'custom', runId, payload: 'null' })),
  ).toBe('null');
});

test('bodies are read up to a number of bytes, and of one project if one is named', async () => {
  const insertSized = (length: number) => insertDelivery(on.engine, projectId, { payload: `"${'x'.repeat(length)}"` });
  const ids = [await insertSized(98), await insertSized(998)];
  const rows = await selectDeliveryBodies(on.db, { ids, maxBytes: 0 });
  expect(rows.map(({ bytes, isRead, payload }) => [bytes, isRead, payload])).toEqual([
    [100, false, null],
    [1000, false, null],
  ]);
  expect((await selectDeliveryBodies(on.db, { ids, maxBytes: 1100 })).map(({ isRead }) => isRead)).toEqual([
    true,
    true,
  ]);
  expect((await selectDeliveryBodies(on.db, { ids, projectId })).length).toBe(2);
  const other = await createTestProject(on.engine);
  expect(await selectDeliveryBodies(on.db, { ids, projectId: other })).toEqual([]);
});
