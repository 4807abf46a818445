import { describe, it } from 'vitest';
import { registerWorkflows } from '../../../support/workflows.ts';
import { ago, expectFindings, scene, test } from '../sharedScene.ts';

describe('I12', () => {
  const over = (ms: number): Date => new Date(Date.now() + ms);

  it('a run that called a model after it reached its cap, and continued', async () => {
    await registerWorkflows(test.engine, scene.projectId, [{ name: 'order', cap: { maxTokens: 20 } }], {
      app: 'shop',
    });
    const runId = await scene.run(['queued', 'running', 'succeeded']);
    for (const index of [0, 1]) await scene.aiStep(runId, { index, at: over(1000) });
    await expectFindings({});
    await scene.aiStep(runId, { index: 2, at: over(2000) });
    await expectFindings({ capPassed: runId });
    await scene.sql("update workflow set updated_at = now() + interval '1 h'");
    await expectFindings({});
    await scene.sql("update workflow set updated_at = now() - interval '1 h'");
    await scene.sql(`update run set status = 'failed'`);
    await scene.sql(`update run_frame set payload = '{"status":"failed"}' where payload ->> 'status' = 'succeeded'`);
    await expectFindings({});
  });
});

describe('I12, budgets', () => {
  const minute = 60_000;

  /** A budget of 20 tokens in ten minutes, registered long ago, with a live dispatcher. */
  async function budgeted(): Promise<void> {
    const budget = { maxTokens: 20, windowMs: 10 * minute };
    await registerWorkflows(test.engine, scene.projectId, [{ name: 'order', budget }], { app: 'shop' });
    await scene.sql('delete from runner');
    await scene.sql('update workflow set updated_at = $1', ago(60 * minute));
    await scene.dispatcher({ startedMsAgo: 60 * minute });
  }

  const exceeded = (since: Date) =>
    scene.sql(
      "insert into flow_budget (project_id, app, workflow, exceeded_at) values ($1, 'shop', 'order', $2)",
      scene.projectId,
      since,
    );

  it('one that is spent without anybody noticing', async () => {
    await budgeted();
    const runId = await scene.run(['queued', 'running', 'succeeded']);
    await scene.aiStep(runId, { tokens: 19, at: ago(5 * minute) });
    await scene.aiStep(runId, { index: 1, at: ago(1000) });
    await expectFindings({});
    await scene.sql('update ai_usage set created_at = $1 where step_index = 1', ago(4 * minute));
    const { id } = await test.db.prisma.workflow.findFirstOrThrow();
    await expectFindings({ budgetMissed: id });
    await exceeded(ago(3 * minute));
    await expectFindings({});
  });

  it('a run that executes although its budget is spent', async () => {
    await budgeted();
    await scene.sql(
      "insert into lane (id, project_id, app, workflow) values (1, $1, 'shop', 'order')",
      scene.projectId,
    );
    await exceeded(ago(5 * minute));
    const held = await scene.heldByBudget();
    await scene.aiStep(held, { tokens: 20, at: ago(6 * minute) });
    const free = await scene.sleeping();
    await expectFindings({});
    await scene.sql('update run_frame set ts = $1', ago(4 * minute));
    await expectFindings({ budgetIgnored: free });
  });

  it('one that is no longer spent, but holds a run', async () => {
    await budgeted();
    const runId = await scene.heldByBudget();
    await scene.aiStep(runId, { tokens: 20, at: ago(10 * minute + 1000) });
    await expectFindings({});
    await scene.sql('update ai_usage set created_at = $1', ago(12 * minute));
    await expectFindings({ budgetHeldTooLong: runId });
    await scene.sql('update workflow set updated_at = now()');
    await expectFindings({});
  });
});
