import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replayRun } from '../../../../../src/engine/control/index.ts';
import { RawJson } from '../../../../../src/engine/json/index.ts';
import { nextDueInMs } from '../../../../../src/engine/work/index.ts';
import { complete, ScriptedDispatcher } from '../../../../support/scriptedRunner.ts';
import { BufferScene } from '../../../admission/bufferScene.ts';

let scene: BufferScene;

beforeAll(async () => {
  scene = await BufferScene.open();
});
afterAll(() => scene.test.close());

const quiet = (key?: string) => ({
  name: 'save',
  debounce: { periodMs: 1_000, ...(key === undefined ? {} : { key }) },
});

describe('debounce', () => {
  it('starts one run for a burst, with the last event, after a quiet period', async () => {
    await scene.project(quiet());
    const answers = [];
    for (const n of [1, 2, 3]) {
      answers.push(await scene.send('save', { n }, { tags: { n: String(n) }, session: `s${n}` }));
      scene.clock.advance(600);
    }
    const entry = { app: 'default', workflow: 'save', debounced: true };
    for (const answer of answers) expect(answer).toMatchObject({ runId: undefined, triggered: [entry] });
    expect(await nextDueInMs(scene.engine)).toMatchObject({ flushInMs: 400 });
    expect(await scene.flush()).toBe(0);
    scene.clock.advance(400);
    expect(await scene.flush()).toBe(1);
    const [run, ...others] = await scene.runs();
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      ...{ input: '{"n":3}', event_id: answers[2]?.eventId, event_name: 'save', trigger_kind: 'event' },
      ...{ tags: { n: '3' }, session: 's3', events: null, status: 'queued' },
    });
    expect(await scene.buffers()).toEqual([]);
    expect(await nextDueInMs(scene.engine)).toMatchObject({ flushInMs: undefined });
    const { rows } = await scene.test.db.query('select triggered from event where project_id = $1 order by id', [
      scene.projectId,
    ]);
    expect(rows.map((row) => JSON.parse(row.triggered))).toEqual([[entry], [entry], [{ ...entry, runId: run?.id }]]);
  });

  it('keeps the last of several simultaneous events', async () => {
    await scene.project(quiet());
    await scene.send('save', { n: -1 });
    await Promise.all(Array.from({ length: 50 }, (_, n) => scene.send('save', { n })));
    scene.clock.advance(1_000);
    await scene.flush();
    expect(await scene.inputs()).toEqual([{ n: 49 }]);
  });

  it('starts another run for an event after the flush', async () => {
    await scene.project(quiet());
    for (const n of [1, 2]) {
      await scene.send('save', { n });
      scene.clock.advance(1_000);
      await scene.flush();
    }
    expect(await scene.inputs()).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('has a separate buffer for each value of its key, each workflow and each pin', async () => {
    await scene.project(quiet('user.id'), { ...quiet(), name: 'other', triggers: [{ event: 'save' }] });
    const event = (id: unknown, n: number, more = {}) => scene.send('save', { user: { id }, n }, more);
    await event('a', 1);
    await event('b', 2);
    await event(1, 3);
    await event('1', 4);
    await event('a', 5);
    await event('a', 6, { runner: 'runner-1' });
    expect(await scene.buffers()).toHaveLength(6);
    scene.clock.advance(1_000);
    await scene.flush();
    const started = (await scene.runs()).map(({ workflow, input, runner }) => [workflow, JSON.parse(input).n, runner]);
    expect(started.sort()).toEqual([
      ['other', 5, null],
      ['other', 6, 'runner-1'],
      ['save', 2, null],
      ['save', 4, null],
      ['save', 5, null],
      ['save', 6, 'runner-1'],
    ]);
  });

  it('buffers manual triggers, and keeps their payload unchanged', async () => {
    await scene.project(quiet());
    const text = '{"big":12345678901234567890,"huge":1e400,"zero":-0,"nul":"\\u0000","lone":"\\ud800"}';
    expect(await scene.trigger('save', RawJson.trusted(text), { tags: { by: 'hand' } })).toMatchObject({
      runId: undefined,
      withheld: 'debounced',
    });
    scene.clock.advance(1_000);
    await scene.flush();
    expect(await scene.runs()).toMatchObject([
      { input: text, trigger_kind: 'manual', event_id: null, event_name: 'save', tags: { by: 'hand' } },
    ]);
  });

  it('passes the arrival time of the event to the handler, also in a replay', async () => {
    await scene.project(quiet(), {
      ...quiet(),
      name: 'both',
      batch: { maxSize: 1, timeoutMs: 1 },
      triggers: [{ event: 'save' }],
    });
    await scene.send('save', { n: 1 });
    const ts = scene.clock.now().toISOString();
    scene.clock.advance(1_000);
    await scene.flush();
    const dispatcher = await new ScriptedDispatcher(scene.engine, () => complete(1)).start();
    await dispatcher.runOnce();
    const runs = await scene.runs();
    for (const { id: runId } of runs) {
      scene.clock.advance(60_000);
      await replayRun(scene.engine, { projectId: scene.projectId, runId, actor: undefined });
    }
    await dispatcher.runOnce();
    const projectRuns = new Set((await scene.runs()).map(({ id }) => id));
    const requests = dispatcher.requests.filter(({ ctx }) => projectRuns.has(ctx.runId));
    expect(requests).toHaveLength(4);
    for (const { event, events = [event] } of requests) {
      expect(event.ts).toBe(ts);
      expect(events).toEqual([event]);
    }
  });

  it('uses the definition at the time of the flush', async () => {
    await scene.project(quiet());
    await scene.send('save', { n: 1 });
    await scene.register({ name: 'save', throttle: { limit: 1, perMs: 60_000 } });
    await scene.send('save', { n: 2 });
    scene.clock.advance(1_000);
    await scene.flush();
    const runs = await scene.runs();
    expect(runs.map((run) => JSON.parse(run.input).n)).toEqual([2, 1]);
    expect(runs[1]?.start_at).toEqual(new Date(scene.clock.now().getTime() + 59_000));
  });
});
