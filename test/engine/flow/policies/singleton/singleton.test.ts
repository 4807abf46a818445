import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../../src/engine/clock.ts';
import { endRuns } from '../../../../../src/engine/consequences/index.ts';
import { onFailPoint } from '../../../../../src/engine/db/failPoints.ts';
import { useEngine } from '../../../../support/engine.ts';
import { complete, steps } from '../../../../support/scriptedRunner.ts';
import { openFlowScene } from '../../flowScene.ts';

const test = useEngine({ clock: new ManualClock() });
afterEach(() => onFailPoint(undefined));

const skip = { name: 'one', singleton: { key: 'user', mode: 'skip' } } as const;
const cancel = { name: 'one', singleton: { key: 'user' } };
const sleeping = () => steps([{ op: 'Sleep', name: 'nap', sleepMs: 60_000 }]);

describe('singleton with skip', () => {
  it('drops a start while a run of its key is unfinished, whatever its status', async () => {
    const project = await openFlowScene(test, [skip], () => sleeping());
    expect(await project.outcomes('one', [{ user: 'a' }, { user: 'a' }, { user: 'b' }])).toEqual([
      'run',
      'skipped',
      'run',
    ]);
    await project.settle();
    expect((await project.runs()).map((run) => run.status)).toEqual(['waiting', 'waiting']);
    expect(await project.outcomes('one', [{ user: 'a' }])).toEqual(['skipped']);
    await project.expectHealthy();
  });

  it('lets the next run start after the holder ended, whatever its final status', async () => {
    const project = await openFlowScene(test, [skip]);
    expect(await project.outcomes('one', [{ user: 'a' }])).toEqual(['run']);
    await project.settle();
    expect(await project.outcomes('one', [{ user: 'a' }, { user: 'a' }])).toEqual(['run', 'skipped']);
    const [, second] = await project.runs();
    const ends = [{ runId: second?.id ?? '', error: undefined }];
    await endRuns(test.engine, { status: 'cancelled', ends, projectId: null, onlyStranded: false, reason: 'test' });
    expect(await project.outcomes('one', [{ user: 'a' }])).toEqual(['run']);
  });

  it('lets exactly one of many simultaneous starts pass', async () => {
    const project = await openFlowScene(test, [skip]);
    const answers = await Promise.all(Array.from({ length: 40 }, () => project.send('one', { user: 'x' })));
    expect(answers.filter((each) => each.runId !== undefined)).toHaveLength(1);
    expect(answers.filter((each) => each.triggered[0]?.skipped)).toHaveLength(39);
  });

  it('refuses a replay while another run holds the singleton', async () => {
    const project = await openFlowScene(test, [skip]);
    const { runId } = await project.send('one', { user: 'a' });
    await project.settle();
    await project.send('one', { user: 'a' });
    await expect(project.replay(runId ?? '')).rejects.toThrow('another run of this singleton has not ended');
    await project.settle();
    expect(await project.replay(runId ?? '')).toMatchObject({ status: 'queued', replayOf: runId });
    expect(await project.outcomes('one', [{ user: 'a' }])).toEqual(['skipped']);
  });
});

describe('singleton with cancel, the default', () => {
  it('cancels the holder, and starts the new run', async () => {
    const project = await openFlowScene(test, [cancel], () => sleeping());
    const first = await project.send('one', { user: 'a' });
    await project.settle();
    const second = await project.send('one', { user: 'a' });
    await project.settle();
    expect(await project.run(first.runId)).toMatchObject({ status: 'cancelled' });
    expect(await project.run(second.runId)).toMatchObject({ status: 'waiting' });
    await project.expectHealthy();
  });

  it('leaves one of many simultaneous runs, and cancels the others', async () => {
    const project = await openFlowScene(test, [cancel]);
    const answers = await Promise.all(Array.from({ length: 30 }, () => project.send('one', { user: 'x' })));
    expect(new Set(answers.map((each) => each.runId)).size).toBe(30);
    expect((await project.runs()).map((run) => run.status).sort()).toEqual([
      ...Array.from({ length: 29 }, () => 'cancelled'),
      'queued',
    ]);
    await project.settle();
    await project.expectHealthy();
  });

  it('announces the cancelled and the new run once, even if a deadlock aborted the first try', async () => {
    const { bus } = test.engine;
    const project = await openFlowScene(test, [cancel], () => sleeping());
    const first = await project.send('one', { user: 'a' });
    const announced: string[] = [];
    const stops = [
      bus.on('run.frames', ({ runId }) => void announced.push(`frames of ${runId}`)),
      bus.on('run.moved', ({ runs }) => void announced.push(...runs.map(({ runId }) => `${runId} moved`))),
    ];
    let tries = 0;
    onFailPoint((point) => {
      if (point !== 'transaction:before' || ++tries > 1) return;
      throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
    });
    const second = await project.send('one', { user: 'a' });
    for (const stop of stops) stop();
    expect(tries).toBeGreaterThan(1);
    expect(announced).toEqual([`${first.runId} moved`, `frames of ${second.runId}`]);
  });

  it('cancels the pass in flight of the displaced run, whose answer has no effect', async () => {
    const project = await openFlowScene(test, [cancel]);
    const first = await project.send('one', { user: 'a' });
    const [pass] = await project.dispatcher.claim();
    const second = await project.send('one', { user: 'a' });
    if (!pass) throw new Error('it could not be claimed');
    await project.dispatcher.drive(pass);
    expect(await project.run(first.runId)).toMatchObject({ status: 'cancelled', result: null });
    await project.settle();
    expect(await project.run(second.runId)).toMatchObject({ status: 'succeeded' });
  });

  it('displaces the run that emits the event: its step is recorded, and then it is cancelled', async () => {
    const project = await openFlowScene(test, [{ name: 'loop', singleton: {} }], (request) =>
      request.ctx.triggerKind === 'manual'
        ? steps([{ op: 'Emit', name: 'again', eventName: 'loop', data: {} }])
        : complete('second'),
    );
    const first = await project.trigger('loop');
    await project.settle();
    expect(await project.run(first.runId)).toMatchObject({ status: 'cancelled' });
    const [, second, ...others] = await project.runs();
    expect(second).toMatchObject({ status: 'succeeded', depth: 1 });
    expect(others).toEqual([]);
    const rows = await test.db.prisma.runStep.findMany({ where: { runId: first.runId ?? '' } });
    expect(rows.map((row) => [row.name, row.status])).toEqual([['again', 'succeeded']]);
    await project.expectHealthy();
  });

  it('cancels the holder for a replay, one after the other in a bulk', async () => {
    const project = await openFlowScene(test, [cancel]);
    const { runId } = await project.send('one', { user: 'a' });
    await project.settle();
    const replays = [await project.replay(runId ?? ''), await project.replay(runId ?? '')];
    expect(await project.run(replays[0]?.id)).toMatchObject({ status: 'cancelled' });
    expect(await project.run(replays[1]?.id)).toMatchObject({ status: 'queued' });
  });
});
