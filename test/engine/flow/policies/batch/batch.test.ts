import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawJson } from '../../../../../src/engine/json/index.ts';
import { listRuns } from '../../../../../src/engine/runs/index.ts';
import { nextDueInMs } from '../../../../../src/engine/work/index.ts';
import { complete, ScriptedDispatcher } from '../../../../support/scriptedRunner.ts';
import { BufferScene } from '../../../admission/bufferScene.ts';

let scene: BufferScene;

beforeAll(async () => {
  scene = await BufferScene.open();
});
afterAll(() => scene.test.close());

const gathered = (maxSize: number, key?: string) => ({
  name: 'mail',
  batch: { maxSize, timeoutMs: 5_000, ...(key === undefined ? {} : { key }) },
});
const numbered = (count: number): { n: number }[] => Array.from({ length: count }, (_, n) => ({ n }));

describe('batch', () => {
  it('starts one run with all events when the first has waited for the timeout', async () => {
    await scene.project(gathered(10));
    const answers = [];
    for (const n of [1, 2, 3]) {
      answers.push(await scene.send('mail', { n }, { tags: { n: String(n) }, session: `s${n}` }));
      scene.clock.advance(1_000);
    }
    for (const answer of answers) {
      const triggered = [{ app: 'default', workflow: 'mail', batched: true }];
      expect(answer).toMatchObject({ runId: undefined, triggered });
    }
    expect(await nextDueInMs(scene.engine)).toMatchObject({ flushInMs: 2_000 });
    expect(await scene.flush()).toBe(0);
    scene.clock.advance(2_000);
    expect(await scene.flush()).toBe(1);
    const [run, ...others] = await scene.runs();
    expect(others).toEqual([]);
    const [first] = answers;
    expect(run).toMatchObject({
      ...{ input: '{"n":1}', event_id: first?.eventId, event_name: 'mail', trigger_kind: 'event' },
      ...{ tags: { n: '1' }, session: 's1' },
    });
    expect(JSON.parse(run?.events ?? '')).toEqual(
      answers.map(({ eventId }, n) => ({
        ...{ id: eventId, name: 'mail', data: { n: n + 1 } },
        ts: new Date(scene.clock.now().getTime() - 5_000 + n * 1_000).toISOString(),
      })),
    );
    expect(await scene.buffers()).toEqual([]);
  });

  it('is named in the records of all its events once it has started', async () => {
    await scene.project(gathered(2), { ...gathered(3), name: 'note', triggers: [{ event: 'mail' }] });
    const recorded = async (eventId: string | undefined) => {
      const { rows } = await scene.test.db.query('select triggered from event where id = $1', [eventId]);
      return JSON.parse(rows[0].triggered);
    };
    const found = async (eventId: string | undefined) => {
      const query = {
        order: { sort: 'workflow', dir: 'asc' },
        after: undefined,
        limit: 9,
        filter: { eventId },
      } as const;
      return (await listRuns(scene.engine, { projectId: scene.projectId, ...query })).rows.map(({ id }) => id);
    };
    const sent: (string | undefined)[] = [];
    for (const data of numbered(3)) sent.push((await scene.send('mail', data)).eventId);
    const held = { app: 'default', batched: true };
    expect(await recorded(sent[0])).toEqual([
      { ...held, workflow: 'mail' },
      { ...held, workflow: 'note' },
    ]);
    expect(await found(sent[0])).toEqual([]);
    await scene.flush();
    const [mail, note] = (await scene.runs()).sort((a, b) => (a.workflow < b.workflow ? -1 : 1));
    expect(await recorded(sent[1])).toEqual([
      { ...held, workflow: 'mail', runId: mail?.id },
      { ...held, workflow: 'note', runId: note?.id },
    ]);
    expect(await recorded(sent[2])).toEqual([
      { ...held, workflow: 'mail' },
      { ...held, workflow: 'note', runId: note?.id },
    ]);
    for (const eventId of sent.slice(0, 2)) expect(await found(eventId)).toEqual([mail?.id, note?.id]);
    expect(await found(sent[2])).toEqual([note?.id]);
    await scene.project();
    expect(await found(sent[1])).toEqual([]);
  });

  it('starts a run as soon as there are maxSize events, and opens the next buffer', async () => {
    await scene.project(gathered(3));
    for (const data of numbered(7)) await scene.send('mail', data);
    expect(await scene.buffers()).toMatchObject([
      { items: 3, closed: true, inMs: 0 },
      { items: 3, closed: true, inMs: 0 },
      { items: 1, closed: false, inMs: 5_000 },
    ]);
    await scene.flush();
    const all = numbered(7);
    expect(await scene.batches()).toEqual([all.slice(0, 3), all.slice(3, 6)]);
    scene.clock.advance(5_000);
    await scene.flush();
    expect(await scene.batches()).toEqual([all.slice(0, 3), all.slice(3, 6), all.slice(6)]);
  });

  it('has a separate buffer for each value of its key and each pin', async () => {
    await scene.project(gathered(10, 'to'));
    for (const to of ['a', 'b', 'a']) await scene.send('mail', { to });
    await scene.send('mail', { to: 'a' }, { runner: 'runner-1' });
    scene.clock.advance(5_000);
    await scene.flush();
    const sizes = (await scene.batches()).map((batch) => batch.length);
    expect(sizes.sort()).toEqual([1, 1, 2]);
    expect((await scene.runs()).filter(({ runner }) => runner === 'runner-1')).toHaveLength(1);
  });

  it('passes all events to the handler, with the first one as its event', async () => {
    await scene.project({ ...gathered(2), triggers: [{ event: 'mail' }, { event: 'note' }] });
    const text = '{"big":12345678901234567890,"huge":1e400}';
    await scene.send('note', RawJson.trusted(text));
    scene.clock.advance(10);
    await scene.trigger('mail', { nul: '\u0000' });
    await scene.flush();
    const [run] = await scene.runs();
    expect(run?.events).toContain(`"data":${text}`);
    const dispatcher = await new ScriptedDispatcher(scene.engine, () => complete(1)).start();
    await dispatcher.runOnce();
    const request = dispatcher.requests.find(({ ctx }) => ctx.runId === run?.id);
    expect(request?.events).toHaveLength(2);
    expect(request?.event).toEqual(request?.events?.[0]);
    expect(request?.events?.[1]).toMatchObject({ name: 'mail', data: { nul: '\u0000' } });
    expect(request?.events?.[1]?.id).toBeUndefined();
  });

  it('splits batches that are too large for one request', async () => {
    await scene.project(gathered(1_000));
    const page = 'x'.repeat(300_000);
    const sent = Array.from({ length: 10 }, (_, n) => ({ n, page }));
    await Promise.all(sent.map((data) => scene.send('mail', data)));
    scene.clock.advance(5_000);
    await scene.flush();
    const runs = await scene.runs();
    expect(runs.map(({ events }) => JSON.parse(events ?? '').length)).toEqual([3, 3, 3, 1]);
    const seen = (await scene.inputs()).length;
    expect(seen).toBe(4);
    const numbers = runs.flatMap(({ events }) =>
      JSON.parse(events ?? '').map(({ data }: { data: { n: number } }) => data.n),
    );
    expect(numbers.sort((a, b) => a - b)).toEqual(sent.map(({ n }) => n));
  });

  it('handles ten thousand events of one scope in batches of the maximum size', async () => {
    await scene.project(gathered(100_000));
    const count = 10_000;
    const all = numbered(count);
    for (let sent = 0; sent < count; sent += 1_000) {
      const some = all.slice(sent, sent + 1_000);
      await Promise.all(some.map((data, n) => scene.send('mail', data, {}, scene.engines[n % 3])));
    }
    scene.clock.advance(5_000);
    await scene.flush();
    const batches = await scene.batches();
    expect(batches.map((batch) => batch.length)).toEqual([5_000, 5_000]);
    const numbers = batches.flat().map((data) => Number(Reflect.get(Object(data), 'n')));
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, n) => n));
    expect(await scene.buffers()).toEqual([]);
  }, 60_000);

  it('uses the definition at the time of the flush', async () => {
    await scene.project(gathered(10));
    for (const data of numbered(5)) await scene.send('mail', data);
    await scene.register(gathered(2));
    scene.clock.advance(5_000);
    await scene.flush();
    expect((await scene.batches()).map((batch) => batch.length)).toEqual([2, 2, 1]);
    expect(await scene.buffers()).toEqual([]);
  });

  it('flushes a buffer of a removed policy into one run', async () => {
    await scene.project(gathered(10));
    for (const data of numbered(5)) await scene.send('mail', data);
    await scene.register({ name: 'mail' });
    await scene.send('mail', { n: 5 });
    scene.clock.advance(5_000);
    await scene.flush();
    expect((await scene.batches()).map((batch) => batch.length)).toEqual([0, 5]);
  });
});
