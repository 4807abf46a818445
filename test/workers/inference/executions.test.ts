import { expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { newId } from '../../../src/engine/ids.ts';
import { claimCalls, firstPlace } from '../../../src/engine/inference/index.ts';
import { Accesses } from '../../../src/workers/inference/accesses.ts';
import { Executions } from '../../../src/workers/inference/executions.ts';
import { HeldCall } from '../../../src/workers/inference/heldCalls.ts';
import { ask, useSite } from './site.ts';

const clock = new ManualClock();
const site = useSite({ clock });

test('a call whose send cannot be recorded goes back, and is due later each time', async () => {
  const { db } = site.test;
  await db.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'no sends today'; end $$`,
  );
  await db.query('create trigger refuse before insert on inference_send for each row execute function refuse()');
  onTestFinished(async () => void (await db.query('drop function refuse cascade')));
  await site.asks(ask());
  const caller = site.caller();
  const waits: number[] = [];
  for (let n = 0; n < 9; n += 1) {
    await caller.runOnce();
    await expect.poll(() => site.calls()).toMatchObject([{ leaseId: null, failures: 0 }]);
    const [call] = await site.calls();
    const inMs = (call?.dueAt.getTime() ?? 0) - clock.now().getTime();
    waits.push(inMs / 1000);
    clock.advance(inMs);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  await db.query('drop trigger refuse on inference_send');
  await caller.runOnce();
  expect(await site.calls()).toEqual([]);
});

test('a request that fails in a way that nobody expected ends unknown, and is repeated later', async () => {
  const { engine } = site.test;
  const runId = await site.asks(ask());
  const processId = newId();
  const { calls } = await claimCalls(engine, { processId, registers: true, room: 10, after: firstPlace });
  const [call] = calls;
  if (!call) throw new Error('the call is due');
  const ended: (number | undefined)[] = [];
  const executions = new Executions({
    engine,
    accesses: new Accesses(engine, 0),
    callModel: () => Promise.reject(new Error('a defect')),
    writes: 1,
    host: {
      release: () => expect.unreachable(),
      ended: (_, inMs) => ended.push(inMs),
      suspect: () => expect.unreachable(),
      isDraining: () => false,
    },
  });
  await executions.execute(new HeldCall(call, processId));
  expect(ended).toEqual([expect.any(Number)]);
  expect(await site.sends(runId)).toMatchObject([{ outcome: 'unknown', error: 'the request could not be executed' }]);
  expect(await site.calls()).toMatchObject([{ failures: 1, leaseId: null }]);
});
