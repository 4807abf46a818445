import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import type { Frame } from '../../../src/engine/bus.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import type { Database } from '../../../src/engine/db/database.ts';
import { openDatabase } from '../../../src/engine/db/pool/open.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { invokeText, settlePass } from '../../../src/engine/passes/index.ts';
import { createTestDatabase } from '../../support/database.ts';
import { readFrames } from '../../support/frames.ts';
import { openScene } from '../../support/scene.ts';
import { complete, idOf, steps } from '../../support/scriptedRunner.ts';

/** PostgreSQL's clock, stopped. Tests set it to the microsecond, which a moved clock cannot. */
const stopped = `
  create schema stopped;
  create table stopped.clock (at timestamptz);
  insert into stopped.clock values (pg_catalog.date_trunc('minute', pg_catalog.now()));
  create function stopped.now() returns timestamptz language sql stable as 'select at from stopped.clock';
  create function stopped.clock_timestamp() returns timestamptz language sql as 'select at from stopped.clock'`;

let db: Database;
let engine: EngineContext;
let drop: () => Promise<void>;

beforeAll(async () => {
  const created = await createTestDatabase();
  await created.db.query(stopped);
  const url = new URL(created.url);
  url.searchParams.set('options', '-c search_path=stopped,pg_catalog,public');
  const log = pino({ level: 'silent' });
  db = await openDatabase({ url: url.href, log });
  engine = createEngine({ db, log, settings: { operatorKey: 'test operator key', allowPrivateTargets: true } });
  drop = created.drop;
});

afterAll(async () => {
  await db.close();
  await drop();
});

/** A step that fails, and is due again after 10 ms. */
const flaky = { op: 'StepRun', name: 'flaky', error: { message: 'no' }, retryAfterMs: 10 } as const;

/** Sets the clock, in ms after a full minute. */
const setClock = (ms: number) =>
  db.query({
    text: "update stopped.clock set at = pg_catalog.date_trunc('minute', at) + $1::float8 * interval '1 ms'",
    values: [ms],
  });

/**
 * A run that an event woke, as it is claimed 0.3 ms before its step `timed` is due. Steps are due
 * 10 ms after the first pass.
 */
async function claimEarly(timed: Parameters<typeof steps>[0][number]) {
  const scene = await openScene(
    { engine, db, url: '' },
    ({ steps: memo }) =>
      Object.keys(memo).length > 0 ? complete(1) : steps([timed, { op: 'WaitForEvent', name: 'go', eventName: 'go' }]),
    { name: 'flow', retry: { maxAttempts: 2 } },
  );
  const { projectId, dispatcher, start } = scene;
  await setClock(0);
  const runId = await start();
  await dispatcher.runOnce();
  expect(await sendEvent(engine, { projectId, input: { name: 'go' } })).toMatchObject({ woke: 1 });
  await setClock(9.7);
  const live: Frame[] = [];
  const unfollow = engine.bus.on('run.frames', ({ frames }) => void live.push(...frames));
  const [pass] = await dispatcher.claim();
  unfollow();
  if (!pass) throw new Error('nothing was claimed');
  const request: InvokeRequest = JSON.parse(invokeText(pass));
  await dispatcher.drive(pass);
  return { projectId, runId, pass, request, live };
}

describe('a claim less than a millisecond before the time of a step', () => {
  it('leaves a sleep pending, and its pass does not count the sleep as over', async () => {
    const { pass, request } = await claimEarly({ op: 'Sleep', name: 'nap', sleepMs: 10 });
    expect(request.steps[idOf('nap')]).toEqual({ pending: true });
    expect(pass.memo.isOverdue(pass.dbNow)).toBe(false);
  });

  it('leaves a retry pending', async () => {
    const { request } = await claimEarly(flaky);
    expect(request.steps[idOf('flaky')]).toEqual({ pending: true });
    expect(request.ctx.stepAttempts).toBeUndefined();
  });

  it('dates its live frame as the frame that is read again, to the nearest millisecond', async () => {
    const { projectId, runId, live } = await claimEarly({ op: 'Sleep', name: 'nap', sleepMs: 10 });
    const frames = await readFrames(engine, { projectId, runId });
    expect(live).toHaveLength(1);
    expect(frames).toContainEqual(live[0]);
  });
});

it('a pass that continues offers a retry no sooner than `nextAttemptAt`', async () => {
  const flow = { name: 'flow', retry: { maxAttempts: 2 } };
  const { dispatcher, start, stepRows } = await openScene({ engine, db, url: '' }, () => complete(1), flow);
  await setClock(0.7);
  const runId = await start();
  const [pass] = await dispatcher.claim();
  if (!pass) throw new Error('nothing was claimed');
  expect(await settlePass(engine, pass, steps([{ op: 'StepRun', name: 'first', data: 1 }, flaky]))).toBe('again');
  await setClock(10.3);
  expect(await settlePass(engine, pass, steps([{ op: 'StepRun', name: 'last', data: 1 }]))).toBe('again');
  const request: InvokeRequest = JSON.parse(invokeText(pass));
  const [, retried] = await stepRows(runId);
  expect(retried?.runAfter?.getMilliseconds()).toBe(11);
  expect(request.steps[idOf('flaky')]).toEqual({ pending: true });
  await dispatcher.drive(pass);
});
