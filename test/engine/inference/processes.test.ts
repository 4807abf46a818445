import { describe, expect, it } from 'vitest';
import { cancelRun } from '../../../src/engine/control/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import {
  findLostCalls,
  releaseCalls,
  releaseStrays,
  rescueCalls,
  retireProcess,
  tickProcess,
  Vigil,
  viewCalls,
} from '../../../src/engine/inference/index.ts';
import { useEngine } from '../../support/engine.ts';
import {
  again,
  answered,
  asking,
  ended,
  failed,
  InferenceScene,
  refused,
  sceneClock,
  succeeded,
  unknown,
} from './scene.ts';

const clock = sceneClock();
const test = useEngine({ clock });

const names = ['a', 'b', 'c'];
const open = () => InferenceScene.open(test, asking(names));
const processes = () => test.db.prisma.inferenceProcess.findMany();

/** Beats for a process until it may judge the others. */
async function watch(processId: string, vigil = new Vigil()): Promise<boolean> {
  let mayRescue = false;
  for (let n = 0; n < 4; n += 1) {
    clock.advance(2_500);
    ({ mayRescue } = await tickProcess(test.engine, { processId, beats: true, vigil, calls: [] }));
  }
  return mayRescue;
}

describe('a process that died', () => {
  it('loses its calls within ten seconds, and its sends end as unknown, which counts as spend', async () => {
    const scene = await open();
    const runId = await scene.start();
    const { calls } = await scene.claim();
    const [sent] = calls;
    if (!sent) throw new Error('three calls are due');
    await scene.sent(sent);
    const other = newId();
    expect(await watch(other)).toBe(true);
    expect(await rescueCalls(test.engine, other)).toBe(3);
    expect(await scene.sends(runId)).toMatchObject([
      { outcome: 'unknown', error: 'the process that sent it has stopped', endedAt: clock.now() },
    ]);
    expect(await scene.usage(runId)).toMatchObject([{ send: 1, unknown: true, tokensIn: null, tokensOut: null }]);
    expect(await processes()).toEqual([]);
    const again = (await scene.claim({ processId: other })).calls;
    expect(again).toHaveLength(3);
    expect(again.find(({ stepIndex }) => stepIndex === sent.stepIndex)).toMatchObject({
      afterUnknown: true,
      failures: 1,
      idempotencyKey: sent.idempotencyKey,
    });
    expect(again.filter(({ afterUnknown }) => afterUnknown)).toHaveLength(1);
  });

  it('but answers after all settles its call, and its spend is not unknown any more', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    const call = await scene.claimOne();
    const number = await scene.sent(call);
    clock.advance(7000);
    await rescueCalls(test.engine, newId());
    expect(await scene.settle(call, succeeded(), ended(number, answered()))).toBe('settled');
    expect(await scene.sends(runId)).toMatchObject([{ outcome: 'answered', tokensIn: 30n, error: null }]);
    expect(await scene.usage(runId)).toMatchObject([{ send: 1, unknown: false, tokensIn: 30n, tokensOut: 12n }]);
    expect(await scene.steps(runId)).toMatchObject([{ status: 'succeeded' }]);
  });

  it('and claims its own call again frees it when the send, which counted already, fails', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    const number = await scene.sent(await scene.claimOne());
    clock.advance(7000);
    await rescueCalls(test.engine, newId());
    const call = await scene.claimOne();
    await scene.settle(call, again, ended(number, unknown()));
    expect(await scene.calls(runId)).toMatchObject([{ leaseId: null, failures: 1 }]);
    expect(await scene.usage(runId)).toHaveLength(1);
    clock.advance(1000);
    expect(await scene.claimOne()).toMatchObject({ afterUnknown: true, failures: 1 });
  });

  it('leaves no lease of a call whose run an older version ended without deleting it', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    const call = await scene.claimOne();
    await scene.endByOlderVersion(runId);
    expect(await scene.begin(call)).toEqual({ kind: 'lost' });
    expect(await scene.calls(runId)).toEqual([]);
    expect(await scene.sends(runId)).toEqual([]);
  });

  it('but was refused after all has spent nothing', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    const call = await scene.claimOne();
    const number = await scene.sent(call);
    clock.advance(7000);
    await rescueCalls(test.engine, newId());
    await scene.settle(call, failed(), ended(number, refused()));
    expect(await scene.usage(runId)).toEqual([]);
  });

  it('leaves the send of a call that was cancelled, which ends as unknown, too', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    await scene.sent(await scene.claimOne());
    await cancelRun(test.engine, { projectId: scene.projectId, runId, actor: 'ada' });
    clock.advance(7000);
    await rescueCalls(test.engine, newId());
    expect(await scene.sends(runId)).toMatchObject([{ outcome: 'unknown' }]);
    expect(await scene.usage(runId)).toHaveLength(1);
    expect(await scene.steps(runId)).toMatchObject([
      { status: 'cancelled', ai: { sends: [{ number: 1, outcome: 'unknown' }] } },
    ]);
    expect(await processes()).toEqual([]);
  });

  it('is not found dead while it beats, nor by a process that has just begun to watch', async () => {
    const scene = await open();
    await scene.start();
    const { calls } = await scene.claim();
    const { processId } = scene;
    const other = new Vigil();
    for (let n = 0; n < 4; n += 1) {
      clock.advance(2_500);
      const own = await tickProcess(test.engine, { processId, beats: true, vigil: new Vigil(), calls });
      expect(own).toMatchObject({ isAlive: true, lost: [], hasOthers: false });
      const seen = await tickProcess(test.engine, { processId: newId(), beats: false, vigil: other, calls: [] });
      expect(seen).toMatchObject({ hasOthers: true, hasSilent: false, mayRescue: false });
    }
    clock.advance(10_000);
    const fresh = { processId: newId(), beats: false, vigil: new Vigil(), calls: [] };
    expect(await tickProcess(test.engine, fresh)).toMatchObject({ hasSilent: true, mayRescue: false });
  });
});

describe('a process', () => {
  it('that others found dead leases nothing until it registers', async () => {
    const scene = await open();
    await scene.start();
    expect(await scene.claim({ registers: false })).toMatchObject({ isAlive: false, calls: [] });
    expect((await scene.claim({ registers: true })).calls).toHaveLength(3);
  });

  it('learns which of its calls ended or were claimed again, and no others', async () => {
    const scene = await open();
    await scene.start();
    const { calls } = await scene.claim();
    const [one, two, three] = calls;
    if (!one || !two || !three) throw new Error('three calls are due');
    expect(await findLostCalls(test.engine, { calls })).toEqual([]);
    await test.db.query('delete from inference_call where step_index = $1', [one.stepIndex]);
    await test.db.query('update inference_call set lease_id = null');
    await scene.claim({ room: 1, processId: newId() });
    const ref = ({ runId, stepIndex, claimNo }: typeof one) => ({ runId, stepIndex, claimNo });
    expect(await findLostCalls(test.engine, { calls })).toEqual([ref(one), ref(two)]);
    const ticked = await tickProcess(test.engine, {
      ...{ processId: scene.processId, beats: true, vigil: new Vigil() },
      calls: [three],
    });
    expect(ticked.lost).toEqual([]);
  });

  it('that stops hands its calls on at once', async () => {
    const scene = await open();
    const runId = await scene.start();
    const { calls } = await scene.claim();
    const [sent] = calls;
    if (!sent) throw new Error('three calls are due');
    await scene.sent(sent);
    await retireProcess(test.engine, scene.processId);
    expect(await processes()).toEqual([]);
    expect(await scene.sends(runId)).toMatchObject([{ outcome: 'unknown' }]);
    expect((await scene.claim({ processId: newId() })).calls).toHaveLength(3);
  });

  it('frees calls that it has not sent, which are due as before', async () => {
    const scene = await open();
    const runId = await scene.start();
    const { calls } = await scene.claim();
    const [sent] = calls;
    if (!sent) throw new Error('three calls are due');
    await scene.sent(sent);
    await releaseCalls(test.engine, { processId: scene.processId, calls });
    expect(await scene.sends(runId)).toMatchObject([{ outcome: 'refused', error: 'the request did not leave' }]);
    expect(await scene.usage(runId)).toEqual([]);
    expect((await scene.claim()).calls).toMatchObject([{ failures: 0 }, { failures: 0 }, { failures: 0 }]);
  });

  it('frees the calls of a claim whose answer was lost', async () => {
    const scene = await open();
    await scene.start();
    const { calls } = await scene.claim({ room: 1 });
    await scene.claim();
    expect(await releaseStrays(test.engine, { processId: scene.processId, known: calls })).toBe(2);
    expect((await scene.claim()).calls).toHaveLength(2);
  });

  it('sees whether a call is due, and when the next one is', async () => {
    const scene = await open();
    const view = () => viewCalls(test.engine, { processId: newId() });
    expect(await view()).toEqual({ isDue: false, nextInMs: undefined, hasOthers: false });
    await scene.start();
    expect(await view()).toMatchObject({ isDue: true, hasOthers: false });
    const { calls } = await scene.claim();
    for (const call of calls) await scene.settle(call, { kind: 'again', inMs: 4000 });
    expect(await view()).toEqual({ isDue: false, nextInMs: 4000, hasOthers: false });
  });
});
