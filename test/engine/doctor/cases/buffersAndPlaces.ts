import { describe, it } from 'vitest';
import { registerWorkflows } from '../../../support/workflows.ts';
import { ago, expectFindings, scene, test } from '../sharedScene.ts';

describe('I10', () => {
  it('a buffer that stays due although a dispatcher is alive', async () => {
    const bufferId = await scene.buffer();
    await scene.sql('update flow_buffer set flush_at = $1', ago(31_000));
    await expectFindings({});
    await scene.dispatcher({ startedMsAgo: 60_000 });
    await expectFindings({ bufferOverdue: bufferId });
  });

  it('a buffer with a wrong count', async () => {
    const bufferId = await scene.buffer();
    await expectFindings({});
    await scene.sql('update flow_buffer set items = items + 1');
    await expectFindings({ bufferMiscounted: bufferId });
    await scene.sql('update flow_buffer set items = items - 1, bytes = bytes + 1');
    await expectFindings({ bufferMiscounted: bufferId });
    await scene.sql('delete from flow_buffer_item');
    await expectFindings({ bufferMiscounted: bufferId });
  });

  it('a buffered event without its buffer', async () => {
    const bufferId = await scene.buffer();
    await scene.sql('delete from flow_buffer');
    await expectFindings({ bufferMiscounted: bufferId });
  });

  it('a run with more events than its workflow allows', async () => {
    const batch = { maxSize: 2, timeoutMs: 1000 };
    await registerWorkflows(test.engine, scene.projectId, [{ name: 'order', batch }], { app: 'shop' });
    const runId = await scene.ended();
    await scene.sql("update workflow set version = 'v1'");
    await scene.sql(`update run set events = '[{"data":"\\u0000"},{}]'`);
    await expectFindings({});
    await scene.sql(`update run set events = '[{},{},{}]'`);
    await expectFindings({ batchTooLarge: runId });
  });
});

describe('I11', () => {
  /** Runs of one scope that wait (`gate`) or execute (null). Their workflow has a limit of one. */
  const counted = async (gates: (string | null)[]): Promise<string[]> => {
    const workflow = { name: 'order', concurrency: { limit: 1 } };
    await registerWorkflows(test.engine, scene.projectId, [workflow], { app: 'shop' });
    // Not by `lanes`, which caches the lanes of former scenes.
    const { id: laneId } = await test.db.prisma.lane.create({
      data: { projectId: scene.projectId, app: 'shop', workflow: 'order' },
    });
    const runIds: string[] = [];
    for (const gate of gates) {
      const runId = gate === null ? await scene.leased() : await scene.ready();
      await scene.sql(
        `update run_work set lane_id = $2, slot = 7, gate = $3, state = coalesce(nullif($4, ''), state) where run_id = $1`,
        runId,
        laneId,
        gate,
        gate === null ? '' : 'gated',
      );
      runIds.push(runId);
    }
    return runIds;
  };
  const ceiling = (max: number) =>
    scene.sql('update project set concurrency_ceiling = $2 where id = $1', scene.projectId, max);
  const framedAt = (at: Date) => scene.sql('update run_frame set ts = $1', at);

  it('two runs of one scope that execute, where one may', async () => {
    const [first = '', second = ''] = await counted([null, null]);
    await expectFindings({ slotOverfull: [first, second].sort()[0] ?? '' });
    await framedAt(ago(60_000));
    await expectFindings({});
  });

  it('more runs than the ceiling of their project', async () => {
    await scene.leased();
    const last = await scene.leased();
    await ceiling(2);
    await expectFindings({});
    await ceiling(1);
    await expectFindings({ ceilingPassed: last });
    await framedAt(ago(60_000));
    await expectFindings({});
    await ceiling(0);
  });

  it('a run that keeps waiting for a slot, or under a ceiling, that is free', async () => {
    await scene.dispatcher({ startedMsAgo: 3_600_000 });
    await counted([null, 'slot']);
    await framedAt(ago(60_000));
    await expectFindings({});
    await scene.clear();

    await scene.dispatcher({ startedMsAgo: 3_600_000 });
    const [waiting = ''] = await counted(['slot', 'slot']);
    await expectFindings({});
    await framedAt(ago(60_000));
    await expectFindings({ gatedAndForgotten: waiting });
    await scene.sql(`update run_work set gate = 'ceiling' where run_id = $1`, waiting);
    await expectFindings({ gatedAndForgotten: waiting });
  });
});
