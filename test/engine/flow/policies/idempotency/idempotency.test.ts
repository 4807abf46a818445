import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../../src/engine/clock.ts';
import { useEngine } from '../../../../support/engine.ts';
import { openFlowScene, outcomeOf } from '../../flowScene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

const paid = (period?: number) => ({
  name: 'paid',
  idempotency: { key: 'order.id', ...(period === undefined ? {} : { periodMs: period }) },
});

describe('idempotency', () => {
  it('starts one run per value, and records a later event with the value as deduped', async () => {
    const project = await openFlowScene(test, [paid()]);
    const first = await project.send('paid', { order: { id: 7 } });
    const again = await project.send('paid', { order: { id: 7 } });
    expect(outcomeOf(first)).toBe('run');
    expect(again).toMatchObject({ runId: undefined, triggered: [{ app: 'default', workflow: 'paid', deduped: true }] });
    const record = await project.record(again.eventId);
    const entry = { app: 'default', workflow: 'paid', deduped: true, existingRunId: first.runId };
    expect(record.triggered).toEqual([entry]);
    expect(await project.runs()).toHaveLength(1);
  });

  it('treats 1 and "1" as one value, and other values as different', async () => {
    const project = await openFlowScene(test, [paid()]);
    const outcomes = await project.outcomes('paid', [
      { order: { id: 1 } },
      { order: { id: '1' } },
      { order: { id: 2 } },
    ]);
    expect(outcomes).toEqual(['run', 'deduped', 'run']);
  });

  it('distinguishes integers that a double cannot', async () => {
    const project = await openFlowScene(test, [paid()]);
    const outcomes = [];
    for (const id of ['12345678901234567890', '12345678901234567891', '12345678901234567890']) {
      outcomes.push(outcomeOf(await project.sendText('paid', `{"order":{"id":${id}}}`)));
    }
    expect(outcomes).toEqual(['run', 'run', 'deduped']);
  });

  it('treats a missing field, null and other non-scalars as the whole workflow', async () => {
    const project = await openFlowScene(test, [paid()]);
    const outcomes = await project.outcomes('paid', [
      {},
      { order: null },
      { order: { id: null } },
      { order: { id: [1] } },
    ]);
    expect(outcomes).toEqual(['run', 'deduped', 'deduped', 'deduped']);
    expect(await project.outcomes('paid', [{ order: { id: '' } }])).toEqual(['run']);
  });

  it('ignores inherited properties, and distinguishes very long values', async () => {
    const project = await openFlowScene(test, [
      { name: 'sly', idempotency: { key: '__proto__' } },
      { name: 'long', idempotency: { key: 'v' } },
      { name: 'length', idempotency: { key: 'v.length' } },
    ]);
    expect(outcomeOf(await project.sendText('sly', '{}'))).toBe('run');
    expect(outcomeOf(await project.sendText('sly', '{"__proto__":"x"}'))).toBe('run');
    expect(outcomeOf(await project.sendText('sly', '{"__proto__":"x"}'))).toBe('deduped');
    const long = 'a'.repeat(100_000);
    expect(await project.outcomes('long', [{ v: `${long}b` }, { v: `${long}c` }, { v: `${long}b` }])).toEqual([
      'run',
      'run',
      'deduped',
    ]);
    expect(await project.outcomes('length', [{ v: [1, 2] }, { v: 'abc' }])).toEqual(['run', 'deduped']);
  });

  it('ends after its period, counted from the event that started the run', async () => {
    const project = await openFlowScene(test, [paid(60_000)]);
    const order = { order: { id: 1 } };
    expect(await project.outcomes('paid', [order])).toEqual(['run']);
    clock.advance(59_999);
    expect(await project.outcomes('paid', [order])).toEqual(['deduped']);
    clock.advance(1);
    expect(await project.outcomes('paid', [order, order])).toEqual(['run', 'deduped']);
  });

  it('lasts a day by default', async () => {
    const project = await openFlowScene(test, [paid()]);
    await project.outcomes('paid', [{ order: { id: 1 } }]);
    clock.advance(86_399_999);
    expect(await project.outcomes('paid', [{ order: { id: 1 } }])).toEqual(['deduped']);
    clock.advance(1);
    expect(await project.outcomes('paid', [{ order: { id: 1 } }])).toEqual(['run']);
  });

  it('still lets a deduped event wake its waiters', async () => {
    const project = await openFlowScene(
      test,
      [paid(), { name: 'waiter', triggers: [{ event: 'never' }] }],
      (request) =>
        request.ctx.workflow === 'paid'
          ? { kind: 'answer', status: 200, body: '{"data":1,"logs":[]}', elapsedMs: 1 }
          : {
              kind: 'answer',
              status: 206,
              body: JSON.stringify({
                opcodes: [{ op: 'WaitForEvent', id: 'a'.repeat(64), name: 'w', eventName: 'paid' }],
                logs: [],
              }),
              elapsedMs: 1,
            },
    );
    await project.send('paid', { order: { id: 1 } });
    await project.send('never');
    await project.settle();
    const answer = await project.send('paid', { order: { id: 1 } });
    expect(answer).toMatchObject({ woke: 1, triggered: [{ deduped: true }] });
  });

  it('lets exactly one of many simultaneous events start a run, and reports that to all', async () => {
    const project = await openFlowScene(test, [paid()]);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => project.send('paid', { order: { id: n % 3 } })),
    );
    expect(answers.filter((each) => each.runId !== undefined)).toHaveLength(3);
    expect(answers.filter((each) => outcomeOf(each) === 'deduped')).toHaveLength(57);
    expect(await project.runs()).toHaveLength(3);
  });

  it('is not claimed by a start that another policy withheld', async () => {
    const project = await openFlowScene(test, [
      { name: 'both', idempotency: { key: 'id' }, rateLimit: { limit: 1, perMs: 60_000 } },
    ]);
    expect(await project.outcomes('both', [{ id: 1 }, { id: 2 }, { id: 2 }])).toEqual(['run', 'dropped', 'dropped']);
    clock.advance(60_000);
    expect(await project.outcomes('both', [{ id: 2 }, { id: 2 }])).toEqual(['run', 'deduped']);
  });

  it('applies to manual triggers', async () => {
    const project = await openFlowScene(test, [paid()]);
    expect(await project.trigger('paid', { order: { id: 1 } })).toMatchObject({ withheld: undefined });
    expect(await project.trigger('paid', { order: { id: 1 } })).toMatchObject({
      withheld: 'deduped',
      runId: undefined,
    });
  });
});
