import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { reanchorBuffers } from '../../../src/engine/admission/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { runDoctor } from '../../../src/engine/doctor/index.ts';
import { updateProject } from '../../../src/engine/projects/index.ts';
import { fireDueSchedules } from '../../../src/engine/schedules/index.ts';
import { nextDueInMs } from '../../../src/engine/work/index.ts';
import { complete, memoOf, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { BufferScene } from './bufferScene.ts';

let scene: BufferScene;

beforeAll(async () => {
  scene = await BufferScene.open();
});
afterEach(() => onFailPoint(undefined));
afterAll(async () => {
  const { checks } = await runDoctor(scene.engine);
  await scene.test.close();
  expect(checks.flatMap((each) => each.violations)).toEqual([]);
});

const debounced = { name: 'save', debounce: { periodMs: 1_000 } };
const batched = { name: 'mail', batch: { maxSize: 2, timeoutMs: 1_000 } };

/** Simulates a crash at a point while `work` is in progress. */
async function dying(where: string, work: () => Promise<unknown>): Promise<void> {
  let hasDied = false;
  onFailPoint((point) => {
    if (point !== where) return;
    hasDied = true;
    throw Object.assign(new Error('died'), { code: '57P01' });
  });
  await work().catch(() => {});
  onFailPoint(undefined);
  expect(hasDied).toBe(true);
}

const around = (names: string[]): string[] => names.flatMap((name) => [`${name}:before`, `${name}:after`]);

describe('a crash', () => {
  it.each([...around(['slideDebounced', 'putBufferItems', 'ingestIntakes']), 'transaction:before'])(
    'at %s keeps an event that was not accepted out of debounce buffers',
    async (where) => {
      await scene.project(debounced);
      await scene.send('save', { n: 1 });
      scene.clock.advance(500);
      await dying(where, () => scene.send('save', { n: 2 }));
      scene.clock.advance(500);
      await scene.flush();
      expect(await scene.inputs()).toEqual([{ n: 1 }]);
    },
  );

  it.each([
    ...around(['openBatches', 'growBatches', 'addBatches', 'putBufferItems', 'ingestIntakes']),
    'transaction:before',
  ])('at %s keeps an event that was not accepted out of batch buffers', async (where) => {
    await scene.project({ ...batched, triggers: [{ event: 'mail' }, { event: 'two' }, { event: 't*' }] });
    await scene.send('mail', { n: 1 });
    await scene.send('mail', { n: 2 });
    await scene.send('mail', { n: 3 });
    // Two events at once: one of them opens the next buffer.
    await dying(where, () => Promise.allSettled([scene.send('mail', { n: 4 }), scene.send('mail', { n: 5 })]));
    const { rows } = await scene.test.db.query(
      "select count(*)::int as n from event where project_id = $1 and name = 'mail'",
      [scene.projectId],
    );
    scene.clock.advance(1_000);
    await scene.flush();
    const all = (await scene.batches()).flat();
    expect(all).toHaveLength(rows[0].n);
    expect(new Set(all.map((each) => JSON.stringify(each))).size).toBe(all.length);
  });

  it.each([...around(['ingestIntakes', 'removeFlushed']), 'transaction:before'])(
    'at %s leaves a due buffer unchanged',
    async (where) => {
      await scene.project(debounced, batched);
      await scene.send('save', { n: 1 });
      await scene.send('mail', { n: 2 });
      scene.clock.advance(1_000);
      await dying(where, () => scene.flush());
      expect(await scene.runs()).toEqual([]);
      expect(await scene.flush()).toBe(2);
      expect(await scene.inputs()).toEqual([{ n: 1 }, { n: 2 }]);
      expect(await scene.buffers()).toEqual([]);
    },
  );

  it('after the commit has no effect', async () => {
    await scene.project(debounced);
    await scene.send('save', { n: 1 });
    scene.clock.advance(1_000);
    await dying('transaction:after', () => scene.flush());
    expect(await scene.flush()).toBe(0);
    expect(await scene.inputs()).toEqual([{ n: 1 }]);
  });
});

describe('a due buffer', () => {
  it('is flushed once, however many processes flush at the same time', async () => {
    await scene.project(
      { ...debounced, debounce: { periodMs: 1_000, key: 'n' } },
      { ...batched, triggers: [{ event: 'save' }] },
    );
    const numbers = Array.from({ length: 250 }, (_, n) => n);
    await Promise.all(numbers.map((n) => scene.send('save', { n }, {}, scene.engines[n % 3])));
    scene.clock.advance(1_000);
    const flushed = await Promise.all(scene.engines.map((engine) => scene.flush(engine)));
    expect(flushed.reduce((sum, each) => sum + each)).toBe(375);
    const runs = await scene.runs();
    const of = (workflow: string) => runs.filter((run) => run.workflow === workflow);
    const saved = of('save').map((run) => JSON.parse(run.input).n);
    expect(saved.sort((a, b) => a - b)).toEqual(numbers);
    const mailed = of('mail').flatMap((run): { data: { n: number } }[] => JSON.parse(run.events ?? ''));
    expect(mailed.map(({ data }) => data.n).sort((a, b) => a - b)).toEqual(numbers);
  });

  it('moves into the batch if the workflow has both policies', async () => {
    await scene.project({
      name: 'both',
      debounce: { periodMs: 1_000, key: 'id' },
      batch: { maxSize: 2, timeoutMs: 500 },
    });
    for (const [id, n] of [
      ['a', 1],
      ['b', 2],
      ['a', 3],
      ['c', 4],
    ])
      await scene.send('both', { id, n });
    scene.clock.advance(1_000);
    await scene.flush();
    expect((await scene.batches()).map((batch) => batch.length)).toEqual([2]);
    expect(await scene.buffers()).toMatchObject([{ policy: 'batch', items: 1, inMs: 500 }]);
    scene.clock.advance(500);
    await scene.flush();
    const seen = (await scene.batches()).flat().map((data) => Reflect.get(Object(data), 'n'));
    expect(seen.sort()).toEqual([2, 3, 4]);
  });

  it('stays while its project is suspended', async () => {
    await scene.project(debounced);
    await scene.send('save', { n: 1 });
    const suspend = (suspended: boolean) => updateProject(scene.engine, { id: scene.projectId, suspended });
    await suspend(true);
    scene.clock.advance(1_000);
    expect(await scene.flush()).toBe(0);
    expect(await scene.buffers()).toMatchObject([{ items: 1, inMs: 30_000 }]);
    await suspend(false);
    scene.clock.advance(30_000);
    expect(await scene.flush()).toBe(1);
  });

  it('stays while its singleton with skip has a holder', async () => {
    await scene.project({ ...batched, singleton: { mode: 'skip' } });
    for (const n of [1, 2, 3]) await scene.send('mail', { n });
    await scene.flush();
    expect(await scene.batches()).toEqual([[{ n: 1 }, { n: 2 }]]);
    expect(await scene.send('mail', { n: 4 })).toMatchObject({ triggered: [{ skipped: true }] });
    scene.clock.advance(1_000);
    expect(await scene.flush()).toBe(0);
    expect(await scene.buffers()).toMatchObject([{ items: 1, inMs: 1_000 }]);
    await (await new ScriptedDispatcher(scene.engine, () => complete(1)).start()).runOnce();
    scene.clock.advance(1_000);
    expect(await scene.flush()).toBe(1);
    expect(await scene.batches()).toEqual([[{ n: 1 }, { n: 2 }], [{ n: 3 }]]);
    await (await new ScriptedDispatcher(scene.engine, () => complete(1)).start()).runOnce();
  });

  it('cancels the singleton holder by default', async () => {
    await scene.project({ ...debounced, singleton: {} });
    for (const n of [1, 2]) {
      await scene.send('save', { n });
      scene.clock.advance(1_000);
      expect(await scene.flush()).toBe(1);
    }
    expect((await scene.runs()).map(({ status }) => status)).toEqual(['cancelled', 'queued']);
  });

  it('does not delay the others if its flush fails', async () => {
    await scene.project({ ...debounced, debounce: { periodMs: 1_000, key: 'n' } });
    for (const n of [1, 2, 3]) await scene.send('save', { n });
    await scene.test.db.query("update flow_buffer_item set start = '\"broken\"' where input ->> 'n' = '2'");
    await scene.test.db.query("update flow_buffer set flush_at = flush_at - interval '1 ms' where key = '=2'");
    scene.clock.advance(1_000);
    await scene.flush();
    expect(await scene.inputs()).toEqual([{ n: 1 }, { n: 3 }]);
    expect(await scene.buffers()).toMatchObject([{ key: '=2', inMs: 60_000 }]);
    await scene.test.db.query('delete from flow_buffer');
    await scene.test.db.query('delete from flow_buffer_item');
  });

  it('waits no longer than planned if the clock is set back by a day', async () => {
    await scene.project(debounced, { ...batched, triggers: [{ event: 'save' }] });
    await scene.send('save', { n: 1 });
    scene.clock.advance(-86_400_000);
    expect(await reanchorBuffers(scene.engine)).toBe(2);
    expect(await reanchorBuffers(scene.engine)).toBe(0);
    expect((await scene.buffers()).map(({ inMs }) => inMs)).toEqual([1_000, 1_000]);
    scene.clock.advance(1_000);
    expect(await scene.flush()).toBe(2);
    scene.clock.advance(86_400_000);
  });

  it('uses a definition that another process registered', async () => {
    const [, sibling] = scene.engines;
    await scene.project(batched);
    await scene.send('mail', { n: 1 });
    await sibling?.registry.snapshot(scene.projectId);
    await scene.register({ ...batched, throttle: { limit: 1, perMs: 60_000 } });
    await scene.send('mail', { n: 2 });
    expect(await scene.flush(sibling)).toBe(1);
    const [{ version } = { version: '' }] = (
      await scene.test.db.query('select version from run where project_id = $1', [scene.projectId])
    ).rows;
    const [{ version: inForce }] = (
      await scene.test.db.query('select version from workflow where project_id = $1', [scene.projectId])
    ).rows;
    expect(version).toBe(inForce);
  });
});

describe('a start from any source', () => {
  it('is buffered: a cron fire', async () => {
    await scene.project({ ...batched, triggers: [{ cron: '* * * * *' }] });
    for (let minute = 0; minute < 2; minute += 1) {
      scene.clock.advance(60_000);
      await fireDueSchedules(scene.engine);
      expect(await scene.buffers()).toHaveLength(1);
      if (minute === 0) await scene.test.db.query("update flow_buffer set flush_at = flush_at + interval '1 hour'");
    }
    await scene.flush();
    const [run] = await scene.runs();
    expect(run).toMatchObject({ trigger_kind: 'cron', event_name: null });
    expect(JSON.parse(run?.events ?? '')).toMatchObject([
      { name: 'mail', data: { cron: '* * * * *' } },
      { name: 'mail', data: { cron: '* * * * *' } },
    ]);
    await scene.test.db.query('delete from cron_schedule');
  });

  it('is buffered: an event that a run emits', async () => {
    await scene.project({ name: 'emitter' }, debounced);
    await scene.send('emitter', {});
    const dispatcher = await new ScriptedDispatcher(scene.engine, (request) => {
      const emitted = memoOf(request, 'emit');
      if (request.ctx.workflow !== 'emitter') return complete(1);
      return emitted
        ? complete('data' in emitted ? emitted.data : emitted)
        : steps([{ op: 'Emit', name: 'emit', eventName: 'save', data: { n: 1 } }]);
    }).start();
    await dispatcher.runOnce();
    expect(await nextDueInMs(scene.engine)).toMatchObject({ flushInMs: 1_000 });
    scene.clock.advance(1_000);
    await scene.flush();
    const { rows } = await scene.test.db.query(
      'select workflow, depth, result from run where project_id = $1 order by id',
      [scene.projectId],
    );
    expect(rows).toMatchObject([
      { workflow: 'emitter', depth: 0 },
      { workflow: 'save', depth: 1 },
    ]);
    expect(JSON.parse(rows[0].result)).toMatchObject({ runIds: [] });
  });
});
