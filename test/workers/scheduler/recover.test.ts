import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { Scheduler } from '../../../src/workers/scheduler/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { refusingOnce } from '../../support/refusingDatabase.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();

describe('the recovery of work that others left half done', () => {
  it('continues with ends of runs if that of events fails, and logs it', async () => {
    const projectId = await createTestProject(test.engine);
    await registerWorkflows(test.engine, projectId, [{ name: 'flow' }]);
    await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: {} });
    await test.db.query(
      "insert into run_outcome (run_id, created_at) select id, now() - interval '1 minute' from run where project_id = $1",
      [projectId],
    );
    const engine = createEngine({ db: refusingOnce(test.db, 'listPending'), log: pino({ level: 'silent' }) });
    await expect(new Scheduler(engine).recover()).rejects.toThrow('deadlock detected');
    expect(await test.db.prisma.runOutcome.count()).toBe(0);
  });

  it('sends no query for either if nothing is left', async () => {
    const engine = createEngine({ db: refusingOnce(test.db, 'listPending'), log: pino({ level: 'silent' }) });
    expect(await new Scheduler(engine).recover()).toEqual({ again: false });
  });
});
