import { afterAll, expect, it, vi } from 'vitest';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { Scheduler } from '../../../src/workers/scheduler/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();
const schedulers: Scheduler[] = [];

afterAll(() => Promise.all(schedulers.map((scheduler) => scheduler.stop())));

it('schedules fire by themselves, instant after instant, each once, with two schedulers at work', async () => {
  const { db, log, settings } = test.engine;
  for (const engine of [test.engine, createEngine({ db, log, settings })]) {
    const scheduler = new Scheduler(engine);
    schedulers.push(scheduler);
    scheduler.start();
  }
  const projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'tick', triggers: [{ cron: '* * * * * *' }] }]);
  const instants = async (): Promise<string[]> => {
    const { rows } = await db.query(`select input ->> 'scheduledAt' as at from run where project_id = $1`, [projectId]);
    return rows.map((row) => row.at);
  };
  await vi.waitFor(async () => expect((await instants()).length).toBeGreaterThanOrEqual(3), { timeout: 20_000 });
  const seen = await instants();
  expect(new Set(seen).size).toBe(seen.length);
});
