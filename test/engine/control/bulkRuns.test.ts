import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { bulkCancelRuns, bulkReplayRuns, previewBulkCancel } from '../../../src/engine/control/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import { listRuns } from '../../../src/engine/runs/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { complete, type Script, steps } from '../../support/scriptedRunner.ts';
import { useScenes } from './scene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });
const open = useScenes(test);

const idle: Script = () => steps([{ op: 'Sleep', name: 'nap', sleepMs: 3_600_000 }]);
const quick: Script = () => complete('done');

async function newScene() {
  const scene = await open({ idle, quick });
  const { engine } = test;
  const { projectId } = scene;
  const actor = 'ops key';
  return {
    ...scene,
    replayAll: (filter: object) => bulkReplayRuns(engine, { projectId, actor, filter }),
    cancelAll: (filter: object) => bulkCancelRuns(engine, { projectId, actor, filter }),
    preview: (filter: object) => previewBulkCancel(engine, { projectId, filter }),
    async listed(filter: object, project = projectId): Promise<string[]> {
      const order = { sort: 'started', dir: 'asc' } as const;
      const query = { projectId: project, filter, order, after: undefined, limit: 100 };
      return (await listRuns(engine, query)).rows.map(({ id }) => id);
    },
    async audited(id: string | undefined): Promise<unknown> {
      const entry = await test.db.prisma.controlAction.findFirst({ where: { id: id ?? newId() } });
      return entry?.detail;
    },
  };
}

describe('the runs of a bulk call', () => {
  it('can be named by their ids', async () => {
    const { start, cancelAll, run, audited } = await newScene();
    const [one, two, three] = [await start('idle'), await start('idle'), await start('idle')];
    const outcome = await cancelAll({ runIds: [one, three, newId(), 'no id'] });
    expect(outcome).toMatchObject({ matched: 2, done: 2, skipped: 0, failed: 0, failures: [] });
    expect((await run(two)).status).toBe('queued');
    expect(await audited(outcome.id)).toMatchObject({ filter: { runIds: 4 }, cancelled: 2 });
  });

  it('are at most 1000 ids, and an empty list is no filter', async () => {
    const { cancelAll } = await newScene();
    const many = Array.from({ length: 1001 }, () => newId());
    await expect(cancelAll({ runIds: many })).rejects.toThrow('runIds may hold at most 1000 ids');
    await expect(cancelAll({ runIds: [], statuses: [], deep: true, app: '' })).rejects.toThrow(
      'a bulk call needs at least one filter',
    );
  });

  it('are none if the ids are none, and filters that leave nothing out are no filters', async () => {
    const { start, cancelAll, run } = await newScene();
    const runId = await start('idle');
    await expect(cancelAll({ runIds: [], app: 'default' })).rejects.toThrow('runIds must hold at least one id');
    await expect(cancelAll({ rootOnly: false })).rejects.toThrow('a bulk call needs at least one filter');
    expect((await run(runId)).status).toBe('queued');
  });

  it('are replayed by tags, by several statuses, and by all filters of lists', async () => {
    const { start, settle, replayAll, cancelAll } = await newScene();
    const tagged = await start('quick', { tags: { customer: 'c1' } });
    await start('idle');
    await start('quick');
    await settle();
    await cancelAll({ workflow: 'idle' });
    expect(await replayAll({ tags: { customer: 'c1' } })).toMatchObject({ matched: 1, done: 1 });
    expect(await replayAll({ statuses: ['cancelled', 'failed'] })).toMatchObject({ matched: 1, done: 1 });
    expect(await replayAll({ isReplayed: false, statuses: ['succeeded'] })).toMatchObject({ matched: 1, done: 1 });
    expect(await replayAll({ q: tagged })).toMatchObject({ matched: 1, done: 1 });
  });

  it('can be listed afterwards: those that were made, or cancelled', async () => {
    const { start, settle, replayAll, cancelAll, listed } = await newScene();
    const done = [await start('quick'), await start('quick')];
    await settle();
    const replayed = await replayAll({ status: 'succeeded' });
    const made = await listed({ bulkId: replayed.id });
    expect(made).toEqual(await listed({ status: 'queued' }));
    expect(made).toHaveLength(2);
    expect(done).not.toContain(made[0]);
    const cancelled = await cancelAll({ workflow: 'quick' });
    expect(await listed({ bulkId: cancelled.id })).toEqual(made);
    expect(await listed({ bulkId: cancelled.id }, await createTestProject(test.engine))).toEqual([]);
  });

  it('fail for a reason, which is told with their number', async () => {
    const { start, settle, replayAll, projectId } = await newScene();
    await start('quick');
    await settle();
    await test.db.prisma.run.updateMany({ where: { projectId }, data: { workflow: 'gone' } });
    const failures = [{ reason: 'the workflow is not registered', count: 1 }];
    expect(await replayAll({ status: 'succeeded' })).toMatchObject({ done: 0, failed: 1, failures });
  });

  it('are counted by status and workflow before', async () => {
    const { start, settle, preview } = await newScene();
    await start('quick');
    await settle();
    await start('idle');
    await start('idle');
    clock.advance(1);
    const { byStatus, byWorkflow, count } = await preview({ app: 'default' });
    expect(count).toBe(2);
    expect(byStatus).toMatchObject({ succeeded: 1, queued: 2, failed: 0 });
    expect(byWorkflow).toEqual([
      { app: 'default', workflow: 'idle', count: 2 },
      { app: 'default', workflow: 'quick', count: 1 },
    ]);
  });
});
