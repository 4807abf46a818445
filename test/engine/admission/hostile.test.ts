import type { WireWorkflow } from '@holdfast/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { flushDueBuffers, triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { registerWorkflows } from '../../support/workflows.ts';
import { openFlowScene, outcomeOf } from '../flow/flowScene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

/** Characters of four bytes each, which compression does not shorten. */
function longName(seed: number, length = 256): string {
  let state = seed;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return String.fromCodePoint(0x10000 + (state >>> 11));
  }).join('');
}

describe('names and keys of the maximum length', () => {
  const [app, name, runner] = [longName(1), longName(2), longName(3, 120)];
  const wide = Array.from({ length: 200 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7_919) % 0x5000))).join('');

  async function start(policies: Partial<WireWorkflow>): Promise<void> {
    const { engine } = test;
    const projectId = await createTestProject(engine);
    await registerWorkflows(engine, projectId, [{ name, ...policies }], { app, runner });
    for (let n = 0; n < 2; n += 1) {
      await sendEvent(engine, { projectId, input: { name, runner, data: RawJson.of({ k: wide }) } });
      const input = { runner, dedupeId: longName(10 + n), input: RawJson.of({ k: wide }) };
      await triggerWorkflow(engine, { projectId, app, name, input });
    }
    clock.advance(5);
    for (let n = 0; n < 4; n += 1) await flushDueBuffers(engine);
    const { rows } = await test.db.query('select count(*)::int as n from flow_buffer');
    expect(rows).toEqual([{ n: 0 }]);
  }

  it.each<[string, Partial<WireWorkflow>]>([
    ['no policy', {}],
    ['concurrency', { concurrency: { limit: 1, key: 'k' } }],
    ['throttle', { throttle: { limit: 1, perMs: 1, key: 'k' } }],
    ['rateLimit', { rateLimit: { limit: 1, perMs: 1, key: 'k' } }],
    ['debounce', { debounce: { periodMs: 1, key: 'k' } }],
    ['batch', { batch: { maxSize: 100, timeoutMs: 1, key: 'k' } }],
    ['singleton', { singleton: { key: 'k' } }],
    ['idempotency', { idempotency: { periodMs: 1, key: 'k' } }],
    ['tokenThrottle', { tokenThrottle: { tokens: 1, perMs: 1, key: 'k' } }],
  ])('fit into every column and index: %s', (_, policies) => start(policies));
});

describe('limits of the maximum size', () => {
  const many = (count: number) => Array.from({ length: count }, () => ({}));

  it('let every start pass', async () => {
    const rate = { limit: 2_147_483_647, perMs: 1 };
    const project = await openFlowScene(test, [{ name: 'r', rateLimit: rate, throttle: rate }]);
    expect(new Set(await project.outcomes('r', many(20)))).toEqual(new Set(['run']));
    expect((await project.runs()).filter((run) => run.startAt)).toEqual([]);
  });

  it('delay a start no further than the last instant that can be written', async () => {
    const project = await openFlowScene(test, [
      { name: 't', throttle: { limit: 1, perMs: 3_153_600_000_000 }, debounce: { periodMs: 1 } },
    ]);
    await project.send('t');
    clock.advance(1);
    await flushDueBuffers(test.engine);
    await test.db.query('update flow_rate set arrival_us = 9e18 where project_id = $1', [project.projectId]);
    await project.send('t');
    clock.advance(1);
    await flushDueBuffers(test.engine);
    expect((await project.runs()).map((run) => run.startAt?.getUTCFullYear())).toEqual([undefined, 9999]);
  });

  it('buffer a start for that long', async () => {
    const project = await openFlowScene(test, [
      { name: 'd', debounce: { periodMs: 3_153_600_000_000 } },
      { name: 'b', batch: { maxSize: 2_147_483_647, timeoutMs: 3_153_600_000_000 } },
      { name: 'i', idempotency: { periodMs: 3_153_600_000_000 } },
    ]);
    expect(await project.outcomes('d', many(2))).toEqual(['debounced', 'debounced']);
    expect(await project.outcomes('b', many(2))).toEqual(['batched', 'batched']);
    expect(await project.outcomes('i', many(2))).toEqual(['run', 'deduped']);
  });

  it('have a minimum: a batch of one is flushed at once', async () => {
    const project = await openFlowScene(test, [{ name: 'b', batch: { maxSize: 1, timeoutMs: 1_000_000 } }]);
    expect(await project.outcomes('b', many(3))).toEqual(['batched', 'batched', 'batched']);
    await flushDueBuffers(test.engine);
    expect(await project.runs()).toHaveLength(3);
  });
});

describe('keys that only a manual trigger can have', () => {
  const policies: Partial<WireWorkflow> = {
    idempotency: { key: 'i' },
    rateLimit: { limit: 100, perMs: 1, key: 'k' },
    batch: { maxSize: 100, timeoutMs: 1, key: 'k' },
    throttle: { limit: 1, perMs: 1, key: 'k' },
    singleton: { key: 'k' },
    concurrency: { limit: 1, key: 'k' },
  };

  it.each(['\u0000', '\ud800', 'a\udfffb', `${'x'.repeat(63)}\u{1f600}${'y'.repeat(300)}`, '__proto__', ''])(
    'are ordinary scopes: %j',
    async (k) => {
      const project = await openFlowScene(test, [{ name: 'w', ...policies }]);
      expect(await project.trigger('w', { k, i: 1 })).toMatchObject({ withheld: 'batched' });
      expect(await project.trigger('w', { k, i: 2 })).toMatchObject({ withheld: 'batched' });
      expect(await project.trigger('w', { k: 'other', i: 3 })).toMatchObject({ withheld: 'batched' });
      clock.advance(1);
      await flushDueBuffers(test.engine);
      expect(await project.runs()).toHaveLength(2);
      await project.settle();
      expect(await project.runs({ status: 'succeeded' })).toHaveLength(2);
    },
  );
});

describe('an integer of a million digits', () => {
  it('is its own scope, and costs no more than any long key', async () => {
    const rate = { limit: 1, perMs: 1_000, key: 'k' };
    const project = await openFlowScene(test, [
      { name: 'r', rateLimit: rate, throttle: rate, singleton: { key: 'k' } },
    ]);
    const integer = (last: number) => `{"k":-${'9'.repeat(1_000_000)}${last}}`;
    const outcomes: string[] = [];
    // Arithmetic with such numbers takes seconds each time.
    for (let n = 0; n < 12; n += 1) outcomes.push(outcomeOf(await project.sendText('r', integer(n % 2))));
    expect(outcomes).toEqual(['run', 'run', ...Array.from({ length: 10 }, () => 'dropped')]);
  });
});

describe('a rate that is registered again', () => {
  it('has used at most its new limit, however slow the former pace was', async () => {
    const limited = (perMs: number) => ({ name: 'r', rateLimit: { limit: 2, perMs } });
    const project = await openFlowScene(test, [limited(3_600_000)]);
    expect(await project.outcomes('r', [{}, {}, {}])).toEqual(['run', 'run', 'dropped']);
    await project.register([limited(1_000)]);
    expect(await project.outcomes('r', [{}])).toEqual(['dropped']);
    clock.advance(500);
    expect(await project.outcomes('r', [{}, {}])).toEqual(['run', 'dropped']);
    clock.advance(1_000);
    expect(await project.outcomes('r', [{}, {}, {}])).toEqual(['run', 'run', 'dropped']);
  });
});
