import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../src/engine/clock.ts';
import { registerWorkflows } from '../../../support/workflows.ts';
import { ago, expectFindings, found, scene, test } from '../sharedScene.ts';

describe('I17', () => {
  const cronRun = async (replayOf: string | null = null): Promise<string> => {
    const runId = await scene.ended();
    await scene.sql(
      `update run set trigger_kind = 'cron', replay_of = $2,
         input = '{"cron":"0 * * * *","scheduledAt":"2026-05-01T12:00:00.000Z"}' where id = $1`,
      runId,
      replayOf,
    );
    return runId;
  };

  it('an instant of a schedule that started two runs, forks aside', async () => {
    const first = await cronRun();
    await cronRun(first);
    await expectFindings({});
    const again = await cronRun();
    await expectFindings({ cronFiredTwice: again });
  });

  it('a schedule that stays due although a dispatcher is alive', async () => {
    await registerWorkflows(test.engine, scene.projectId, [{ name: 'late', triggers: [{ cron: '0 0 1 1 *' }] }]);
    await scene.sql('update cron_schedule set next_fire_at = $1', ago(60_000));
    await expectFindings({});
    await scene.dispatcher({ startedMsAgo: 3_600_000 });
    const { id } = await test.db.prisma.cronSchedule.findFirstOrThrow();
    await expectFindings({ cronOverdue: id });
    await scene.sql('delete from cron_schedule');
  });
});

describe('I19', () => {
  it('a connection that holds a transaction open', async () => {
    const client = await test.db.pool.connect();
    try {
      await client.query('begin');
      await client.query('select 1');
      expect(await scene.findings()).toEqual({});
      expect(await scene.findings(new ManualClock(ago(-6_000)))).toHaveProperty('idleInTransaction');
      found.add('idleInTransaction');
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});
