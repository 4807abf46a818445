import { describe, expect, it, vi } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { registerDispatcher } from '../../../src/engine/dispatchers/index.ts';
import { sweepGates } from '../../../src/engine/flow/policies/concurrency/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { claimRuns } from '../../../src/engine/passes/index.ts';
import { updateProject } from '../../../src/engine/projects/index.ts';
import { nextDueInMs } from '../../../src/engine/work/index.ts';
import { Scheduler } from '../../../src/workers/scheduler/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();

describe('the scheduler', () => {
  it('continues runs whose wake-up was lost, and runs whose limit was raised', async () => {
    const { engine, db } = test;
    const projectId = await createTestProject(engine);
    const workflow = (limit: number) => ({ name: 'one', concurrency: { limit } });
    await registerWorkflows(engine, projectId, [workflow(1)]);
    for (let n = 0; n < 4; n += 1) {
      await triggerWorkflow(engine, { projectId, app: 'default', name: 'one', input: { input: RawJson.of(n) } });
    }
    const dispatcherId = await registerDispatcher(engine);
    const { id: laneId } = await db.prisma.lane.findFirstOrThrow({ where: { projectId } });
    const groups = [{ laneIds: [laneId], limit: 10 }];
    const claim = async () => (await claimRuns(engine, { dispatcherId, groups })).passes;
    expect(await nextDueInMs(engine)).toMatchObject({ hasGated: false });
    const [pass] = await claim();
    expect(await nextDueInMs(engine)).toMatchObject({ hasGated: true });
    const ready = () => db.prisma.runWork.count({ where: { projectId, state: 'ready' } });

    const scheduler = new Scheduler(engine);
    scheduler.start();
    try {
      // As if the process had died right after the commit that ended the run.
      await db.query('delete from run_work where run_id = $1', [pass?.runId]);
      await vi.waitFor(async () => expect(await ready()).toBe(1), { timeout: 10_000, interval: 50 });
      await registerWorkflows(engine, projectId, [workflow(3)]);
      await vi.waitFor(async () => expect(await ready()).toBe(3), { timeout: 10_000, interval: 50 });
      await claim();
      await updateProject(engine, { id: projectId, concurrencyCeiling: 1 });
      expect(await claim()).toEqual([]);
    } finally {
      await scheduler.stop();
    }
  });

  it('examines all slots in pages, and stops once no run waits', async () => {
    const { engine, db } = test;
    const projectId = await createTestProject(engine);
    await registerWorkflows(engine, projectId, [{ name: 'many', concurrency: { limit: 1, key: 'k' } }]);
    const [laneId] = await engine.lanes.ensure([{ projectId, app: 'default', workflow: 'many', runner: '' }]);
    await db.query(
      `insert into run_work (run_id, project_id, lane_id, state, position, slot, gate)
       select gen_random_uuid(), $1, $2, 'gated', n, n - 600, 'slot' from generate_series(1, 1200) n`,
      [projectId, laneId],
    );
    let after: string | undefined;
    let opened = 0;
    let turns = 0;
    do {
      const swept = await sweepGates(engine, after);
      opened += swept.opened;
      after = swept.next;
      turns += 1;
    } while (after !== undefined);
    expect({ opened, turns }).toEqual({ opened: 1200, turns: 3 });
    expect(await sweepGates(engine)).toMatchObject({ opened: 0, isIdle: true, next: undefined });
  });
});
