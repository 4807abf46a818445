import { describe, expect, it } from 'vitest';
import { flushDueBuffers, triggerWorkflow } from '../../../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../../../src/engine/clock.ts';
import { sendEvent } from '../../../../../src/engine/events/index.ts';
import { useEngine } from '../../../../support/engine.ts';
import { steps } from '../../../../support/scriptedRunner.ts';
import { openFlowScene } from '../../flowScene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

/** A project with the workflow `flow`, and starts of it that have a `dedupeId`. */
async function open(flow: object) {
  const project = await openFlowScene(test, [{ name: 'flow', ...flow }], () =>
    steps([{ op: 'Sleep', name: 'nap', sleepMs: 60_000 }]),
  );
  const { engine } = test;
  const { projectId } = project;
  return {
    ...project,
    sendOnce: (dedupeId: string) => sendEvent(engine, { projectId, input: { name: 'flow', dedupeId } }),
    triggerOnce: (dedupeId: string) =>
      triggerWorkflow(engine, { projectId, app: 'default', name: 'flow', input: { dedupeId } }),
  };
}

const idempotency = { idempotency: {} };
const skip = { singleton: { mode: 'skip' } };
const shed = { rateLimit: { limit: 1, perMs: 3_600_000 } };
const debounce = { debounce: { periodMs: 1_000 } };
const batch = { batch: { maxSize: 10, timeoutMs: 1_000 } };

describe('a start that is withheld because of another run names it', () => {
  it.each([
    ['idempotency', idempotency, 'deduped'],
    ['singleton', skip, 'skipped'],
  ])('by %s, in the answer and in the record of the event', async (_, policy, reason) => {
    const { send, trigger, record } = await open(policy);
    const { runId: existingRunId } = await send('flow');
    const again = await send('flow');
    expect(again).toMatchObject({ existingRunId, runId: undefined });
    const triggered = [{ app: 'default', workflow: 'flow', [reason]: true, existingRunId }];
    expect(again.triggered).toEqual(triggered);
    expect((await record(again.eventId)).triggered).toEqual(triggered);
    expect(await trigger('flow')).toMatchObject({ withheld: reason, runId: undefined, existingRunId });
  });

  it('by dedupeId, of a trigger', async () => {
    const { triggerOnce } = await open({});
    const { runId: existingRunId } = await triggerOnce('a');
    expect(await triggerOnce('a')).toMatchObject({ withheld: 'deduped', runId: undefined, existingRunId });
  });

  it('by dedupeId, of an event', async () => {
    const { sendOnce } = await open({});
    const { runId: existingRunId } = await sendOnce('a');
    expect(await sendOnce('a')).toMatchObject({ deduped: true, runId: undefined, existingRunId, triggered: [] });
  });

  it('is not named while it is buffered; a later event names it after the flush', async () => {
    const { sendOnce, triggerOnce, runs } = await open({ ...batch, ...idempotency });
    const { eventId } = await sendOnce('a');
    for (const once of [sendOnce, triggerOnce]) expect(await once('a')).toMatchObject({ existingRunId: undefined });
    clock.advance(1_000);
    await flushDueBuffers(test.engine);
    const [run] = await runs();
    expect(await sendOnce('a')).toMatchObject({ deduped: true, eventId, existingRunId: run?.id });
  });

  it.each([
    ['batch', batch],
    ['debounce', debounce],
  ])('is named after the flush of a %s by every trigger that went into it', async (_, policy) => {
    const { triggerOnce, runs } = await open(policy);
    for (const id of ['a', 'b']) expect(await triggerOnce(id)).toMatchObject({ runId: undefined });
    expect(await triggerOnce('a')).toMatchObject({ withheld: 'deduped', existingRunId: undefined });
    clock.advance(1_000);
    await flushDueBuffers(test.engine);
    const [run, ...others] = await runs();
    expect([run?.id, others]).toEqual([expect.any(String), []]);
    for (const id of ['a', 'b'])
      expect(await triggerOnce(id)).toMatchObject({ withheld: 'deduped', existingRunId: run?.id });
  });

  it.each([
    ['batch', batch],
    ['debounce', debounce],
  ])('is named after the flush of a %s by the idempotency key of each of its starts', async (_, policy) => {
    const { trigger, runs } = await open({ ...policy, idempotency: { key: 'order' } });
    for (const order of [1, 2]) await trigger('flow', { order });
    clock.advance(1_000);
    await flushDueBuffers(test.engine);
    const [run] = await runs();
    for (const order of [1, 2])
      expect(await trigger('flow', { order })).toMatchObject({ withheld: 'deduped', existingRunId: run?.id });
  });

  it('is not named wrongly where a registration splits the batch', async () => {
    const { trigger, triggerOnce, runs, register } = await open(batch);
    await triggerOnce('a');
    await trigger('flow');
    await register([{ name: 'flow', batch: { maxSize: 1, timeoutMs: 1_000 } }]);
    clock.advance(1_000);
    for (let look = 0; look < 2; look += 1) await flushDueBuffers(test.engine);
    expect(await runs()).toHaveLength(2);
    expect(await triggerOnce('a')).toMatchObject({ withheld: 'deduped', existingRunId: undefined });
  });

  it('by dedupeId, where the first start was withheld because of it', async () => {
    const { trigger, triggerOnce, sendOnce } = await open(skip);
    const { runId: existingRunId } = await trigger('flow');
    for (const once of [triggerOnce, sendOnce]) {
      expect(await once('a')).toMatchObject({ runId: undefined, existingRunId });
      expect(await once('a')).toMatchObject({ runId: undefined, existingRunId });
    }
  });
});

describe('a dedupeId is claimed by the first call, even if its start was withheld', () => {
  it.each([
    ['idempotency', idempotency],
    ['singleton', skip],
    ['rateLimit', shed],
    ['debounce', debounce],
    ['batch', batch],
  ])('by %s', async (_, policy) => {
    const { trigger, sendOnce, triggerOnce, runs } = await open(policy);
    await trigger('flow');
    for (const once of [sendOnce, triggerOnce]) expect(await once('a')).toMatchObject({ runId: undefined });
    const before = await runs();
    expect(await sendOnce('a')).toMatchObject({ deduped: true, triggered: [] });
    expect(await triggerOnce('a')).toMatchObject({ withheld: 'deduped' });
    expect(await runs()).toEqual(before);
  });
});
