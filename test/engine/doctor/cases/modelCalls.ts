import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/engine/ids.ts';
import { registerWorkflows } from '../../../support/workflows.ts';
import { expectFindings, found, scene, test } from '../sharedScene.ts';

describe('I20', () => {
  it('a step that waits for a model without a call, so that nothing can wake its run', async () => {
    const runId = await scene.inferring();
    await scene.sql('delete from inference_call');
    const findings = await scene.findings();
    expect(Object.keys(findings).sort()).toEqual(['callMissing', 'parkedForNothing']);
    expect(findings['callMissing']?.[0]).toContain(runId);
    found.add('callMissing');
  });

  it('a call whose step has settled, or whose run has ended', async () => {
    const runId = await scene.ended();
    await scene.call(runId);
    await expectFindings({ callOfNothing: runId });
  });

  it('a call whose process has died, while another lives', async () => {
    const runId = await scene.inferring();
    await scene.sql('update inference_call set lease_id = $1', newId());
    await expectFindings({});
    await scene.sql('insert into inference_process (id) values ($1)', newId());
    await expectFindings({ callOfNobody: runId });
  });

  it('a send without an outcome, whose process has died while another lives', async () => {
    const runId = await scene.inferring();
    await scene.send(runId);
    await expectFindings({});
    await scene.sql('insert into inference_process (id) values ($1)', newId());
    await expectFindings({ sendOfNobody: runId });
    await scene.sql('insert into inference_process (id) select process_id from inference_send');
    await expectFindings({});
  });

  it('takes the spend of a send for spend, although its step still waits', async () => {
    const runId = await scene.inferring();
    await scene.send(runId);
    await scene.usage(runId);
    await scene.sql('update ai_usage set send = 1');
    await expectFindings({});
    await scene.sql('update inference_send set number = 2');
    await expectFindings({ usageOfNothing: runId });
  });

  it('a send that began after the cap was reached, and no other', async () => {
    await registerWorkflows(test.engine, scene.projectId, [{ name: 'order', cap: { maxTokens: 10 } }], { app: 'shop' });
    const runId = await scene.inferring();
    await scene.sql(`update run set created_at = now() + interval '1 s'`);
    await scene.aiStep(runId, { index: 1, at: new Date(Date.now() - 10_000) });
    await scene.send(runId);
    await scene.usage(runId);
    await scene.sql('update ai_usage set send = 1 where step_index = 0');
    await scene.sql(`update inference_send set started_at = now() - interval '10 s'`);
    await expectFindings({});
    await scene.sql('update inference_send set started_at = now()');
    await expectFindings({ capPassed: runId });
  });
});
