import { afterAll, expect, it, vi } from 'vitest';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { Scheduler } from '../../../src/workers/scheduler/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();
const schedulers: Scheduler[] = [];

afterAll(() => Promise.all(schedulers.map((scheduler) => scheduler.stop())));

it('buffers are flushed by themselves, each once, with two schedulers at work', async () => {
  const { db, log, settings } = test.engine;
  for (const engine of [test.engine, createEngine({ db, log, settings })]) {
    const scheduler = new Scheduler(engine);
    schedulers.push(scheduler);
    scheduler.start();
  }
  const projectId = await createTestProject(test.engine);
  const triggers = [{ event: 'ev' }];
  await registerWorkflows(test.engine, projectId, [
    { name: 'quiet', triggers, debounce: { periodMs: 50 } },
    { name: 'full', triggers, batch: { maxSize: 2, timeoutMs: 3_600_000 } },
    { name: 'late', triggers, batch: { maxSize: 100, timeoutMs: 100 } },
  ]);
  const counts = async () => {
    const { rows } = await db.query(
      'select workflow, count(*)::int as runs, sum(json_array_length(events))::int as events from run where project_id = $1 group by 1 order by 1',
      [projectId],
    );
    return rows;
  };
  for (const n of [1, 2]) {
    await sendEvent(test.engine, { projectId, input: { name: 'ev', data: RawJson.of({ n }) } });
  }
  await vi.waitFor(
    async () => {
      // Two events may be further apart than the time-outs are long.
      expect((await counts()).map((row) => [row.workflow, row.events])).toEqual([
        ['full', 2],
        ['late', 2],
        ['quiet', null],
      ]);
    },
    { timeout: 20_000 },
  );
  const { rows } = await db.query('select count(*)::int as left from flow_buffer');
  expect(rows).toEqual([{ left: 0 }]);
});
