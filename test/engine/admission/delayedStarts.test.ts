import type { WireWorkflow } from '@holdfast/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { flushDueBuffers, triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { cancelRun, pauseRun, replayRun, resumeRun } from '../../../src/engine/control/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { takeOwedTurns } from '../../../src/engine/flow/policies/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { nextDueInMs } from '../../../src/engine/work/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { complete, memoOf, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const clock = new ManualClock(new Date('2031-05-01T08:00:00Z'));
const test = useEngine({ clock });

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/** A workflow `flow`, which the event `go` starts, and one that waits for the event `heard`. */
async function openSite(flow: Omit<WireWorkflow, 'name'> = {}) {
  const projectId = await createTestProject(test.engine);
  const workflow = { name: 'flow', triggers: [{ event: 'go' }], ...flow };
  const register = (changed: WireWorkflow) =>
    registerWorkflows(test.engine, projectId, [changed, { name: 'listener' }]);
  await register(workflow);
  const dispatcher = await new ScriptedDispatcher(test.engine, (request) => {
    if (request.ctx.workflow !== 'listener' || memoOf(request, 'w')) return complete(clock.now().toISOString());
    return steps([{ op: 'WaitForEvent', name: 'w', eventName: 'go' }]);
  }).start();
  const trigger = async (fields: object = {}, name = 'flow') => {
    const { runId } = await triggerWorkflow(test.engine, { projectId, app: 'default', name, input: fields });
    return runId ?? '';
  };
  const run = (id: string) => test.db.prisma.run.findUniqueOrThrow({ where: { id } });
  const settle = () => dispatcher.runOnce();
  const startedAt = async (id: string) => (await run(id)).startedAt?.toISOString().slice(11, 19);
  return { projectId, dispatcher, trigger, run, settle, register, workflow, startedAt };
}

const inMs = (ms: number): string => new Date(clock.now().getTime() + ms).toISOString();

describe('a delayed start', () => {
  it.each([
    ['delayMs', () => ({ delayMs: 10 * minute })],
    ['startAt', () => ({ startAt: inMs(10 * minute) })],
  ])('by %s is queued until its time, and then begins', async (_, fields) => {
    const { trigger, run, settle } = await openSite();
    const runId = await trigger(fields());
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'queued', startAt: new Date(inMs(10 * minute)), startedAt: null });
    clock.advance(10 * minute - 1);
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'queued' });
    expect((await nextDueInMs(test.engine)).workInMs).toBe(1);
    clock.advance(1);
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded' });
  });

  it('at a past time begins now', async () => {
    const { trigger, run, settle } = await openSite();
    const runId = await trigger({ startAt: inMs(-day) });
    expect(await run(runId)).toMatchObject({ startAt: null });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded' });
  });

  it.each([
    [{ startAt: 'tomorrow' }, 'startAt must be an RFC 3339 timestamp, such as 2026-01-31T08:00:00Z'],
    [{ startAt: '2033-01-01T00:00:00Z' }, 'startAt may be at most 365 days ahead'],
    [{ delayMs: 0 }, 'delayMs must be an integer from 1 to 31536000000'],
    [{ delayMs: 1.5 }, 'delayMs must be an integer from 1 to 31536000000'],
    [{ delayMs: 366 * day }, 'delayMs must be an integer from 1 to 31536000000'],
    [{ ttlMs: '1h' }, 'ttlMs must be an integer from 1 to 31536000000'],
    [{ startAt: '2031-05-01T09:00:00Z', delayMs: 1 }, 'startAt and delayMs exclude each other'],
  ])('of %j is refused: %s', async (fields, message) => {
    const { projectId, trigger } = await openSite();
    await expect(trigger(fields)).rejects.toMatchObject({ kind: 'invalid', message });
    const input = { name: 'go', ...fields };
    await expect(sendEvent(test.engine, { projectId, input })).rejects.toMatchObject({ kind: 'invalid', message });
  });

  it('is paused, resumed and cancelled like any other', async () => {
    const { projectId, trigger, run, settle } = await openSite();
    const [resumed, cancelled] = [await trigger({ delayMs: hour }), await trigger({ delayMs: hour })];
    await pauseRun(test.engine, { projectId, runId: resumed, actor: 'test' });
    await cancelRun(test.engine, { projectId, runId: cancelled, actor: 'test' });
    clock.advance(2 * hour);
    await settle();
    expect(await run(resumed)).toMatchObject({ status: 'paused' });
    expect(await run(cancelled)).toMatchObject({ status: 'cancelled' });
    await resumeRun(test.engine, { projectId, runId: resumed, actor: 'test' });
    await settle();
    expect(await run(resumed)).toMatchObject({ status: 'succeeded' });
  });

  it('delays no replay', async () => {
    const { projectId, trigger, run } = await openSite();
    const runId = await trigger({ delayMs: hour, ttlMs: hour });
    await cancelRun(test.engine, { projectId, runId, actor: 'test' });
    const replay = await replayRun(test.engine, { projectId, runId, actor: 'test', input: undefined });
    expect(await run(replay.id)).toMatchObject({ startAt: null, expiresAt: null });
  });
});

describe('an event with delayed starts', () => {
  it('is recorded and wakes its waiters at once', async () => {
    const { projectId, trigger, run, settle } = await openSite();
    const waiter = await trigger({}, 'listener');
    await settle();
    const answer = await sendEvent(test.engine, { projectId, input: { name: 'go', delayMs: hour } });
    expect(answer).toMatchObject({ woke: 1, triggered: [{ workflow: 'flow' }] });
    await settle();
    expect(await run(waiter)).toMatchObject({ status: 'succeeded' });
    expect(await run(answer.runId ?? '')).toMatchObject({ status: 'queued', startAt: new Date(inMs(hour)) });
    clock.advance(hour);
    await settle();
    expect(await run(answer.runId ?? '')).toMatchObject({ status: 'succeeded' });
  });
});

describe('a delayed start of a workflow with throttle', () => {
  it('takes its turn when it is due, so equal times are spaced and present starts are not delayed', async () => {
    const { trigger, settle, startedAt, run } = await openSite({ throttle: { limit: 1, perMs: minute } });
    const later = [
      await trigger({ delayMs: hour }),
      await trigger({ delayMs: hour }),
      await trigger({ delayMs: hour }),
    ];
    const present = await trigger();
    await settle();
    expect(await run(present)).toMatchObject({ status: 'succeeded' });
    const due = new Date(inMs(hour));
    clock.advance(hour);
    await settle();
    for (let turn = 0; turn < 2; turn += 1) {
      clock.advance(minute);
      await settle();
    }
    const times = await Promise.all(later.map(startedAt));
    const at = (ms: number) => new Date(due.getTime() + ms).toISOString().slice(11, 19);
    expect(times).toEqual([at(0), at(minute), at(2 * minute)]);
  });

  it('takes one turn, however many schedulers find it due at the same time', async () => {
    const { projectId, trigger } = await openSite({ throttle: { limit: 1, perMs: minute } });
    await trigger({ delayMs: hour });
    await trigger({ delayMs: hour });
    const together = () => Promise.all(Array.from({ length: 4 }, () => takeOwedTurns(test.engine)));
    // Opens the connections, so that the next searches overlap.
    await together();
    clock.advance(hour);
    await together();
    const { rows } = await test.db.query<{ inMs: number }>({
      text: 'select (arrival_us / 1000 - $2)::float8 as "inMs" from flow_rate where project_id = $1',
      values: [projectId, clock.now().getTime()],
    });
    expect(rows).toEqual([{ inMs: 2 * minute }]);
  });

  it('begins on time if a registration has dropped the policy', async () => {
    const { trigger, settle, run, register, workflow } = await openSite({ throttle: { limit: 1, perMs: hour } });
    await trigger();
    const runId = await trigger({ delayMs: minute });
    const { throttle: _, ...without } = { throttle: undefined, ...workflow };
    await register(without);
    clock.advance(minute - 1);
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'queued', startAt: new Date(inMs(1)) });
    clock.advance(1);
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded' });
  });

  it('takes no turn while it is paused, and then waits for one', async () => {
    const { projectId, trigger, settle, run } = await openSite({ throttle: { limit: 1, perMs: hour } });
    const runId = await trigger({ delayMs: minute });
    await pauseRun(test.engine, { projectId, runId, actor: 'test' });
    clock.advance(minute);
    const present = await trigger();
    await settle();
    expect(await run(present)).toMatchObject({ status: 'succeeded' });
    await resumeRun(test.engine, { projectId, runId, actor: 'test' });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'queued', startAt: new Date(inMs(hour)) });
    clock.advance(hour);
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded' });
  });
});

describe('a delayed start of a workflow with tokenThrottle', () => {
  it('begins at no earlier time after a registration that changes the policy', async () => {
    const tokens = (perMs: number) => ({ tokenThrottle: { tokens: 10, perMs } });
    const { trigger, settle, run, register, workflow } = await openSite(tokens(minute));
    const runId = await trigger({ delayMs: hour });
    await register({ ...workflow, ...tokens(1_000) });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'queued', startAt: new Date(inMs(hour)) });
    clock.advance(hour);
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded' });
  });
});

describe('a delayed start that is buffered', () => {
  const send = (projectId: string, n: number, fields: object) =>
    sendEvent(test.engine, { projectId, input: { name: 'go', data: RawJson.of({ n }), ...fields } });
  const only = async (projectId: string) => test.db.prisma.run.findFirstOrThrow({ where: { projectId } });

  it('by debounce becomes the run of the last start, which begins at its time', async () => {
    const { projectId } = await openSite({ debounce: { periodMs: minute } });
    await send(projectId, 1, { delayMs: 5 * hour });
    await send(projectId, 2, { delayMs: hour, ttlMs: minute });
    clock.advance(minute);
    await flushDueBuffers(test.engine);
    const run = await only(projectId);
    expect(run).toMatchObject({ input: { n: 2 }, status: 'queued', startAt: new Date(inMs(hour - minute)) });
    expect(run.expiresAt).toEqual(new Date(inMs(hour)));
  });

  it('by batch becomes a run that begins at the last of the times, and expires with the last start', async () => {
    const { projectId } = await openSite({ batch: { maxSize: 3, timeoutMs: minute } });
    await send(projectId, 1, { delayMs: hour, ttlMs: 1_000 });
    await send(projectId, 2, { delayMs: 2 * hour, ttlMs: minute });
    await send(projectId, 3, { ttlMs: 1_000 });
    await flushDueBuffers(test.engine);
    const run = await only(projectId);
    expect(run).toMatchObject({ status: 'queued', startAt: new Date(inMs(2 * hour)) });
    expect(run.expiresAt).toEqual(new Date(inMs(2 * hour + minute)));
  });

  it('by batch keeps the run without limit if one of the starts has none', async () => {
    const { projectId } = await openSite({ batch: { maxSize: 2, timeoutMs: minute } });
    await send(projectId, 1, { ttlMs: 1_000 });
    await send(projectId, 2, {});
    await flushDueBuffers(test.engine);
    expect(await only(projectId)).toMatchObject({ startAt: null, expiresAt: null });
  });
});

describe('a delayed start of a workflow with other policies', () => {
  it('holds its singleton from its acceptance on', async () => {
    const { trigger } = await openSite({ singleton: { mode: 'skip' } });
    const runId = await trigger({ delayMs: hour });
    expect(runId).not.toBe('');
    expect(await trigger()).toBe('');
  });

  it('takes its place in the queue by its time and its priority, and no concurrency slot before', async () => {
    const { trigger, settle, run } = await openSite({ concurrency: { limit: 1 } });
    const later = await trigger({ delayMs: hour });
    const present = await trigger();
    await settle();
    expect(await run(present)).toMatchObject({ status: 'succeeded' });
    clock.advance(hour);
    await settle();
    expect(await run(later)).toMatchObject({ status: 'succeeded' });
  });
});
