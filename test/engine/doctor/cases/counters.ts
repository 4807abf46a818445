import { describe, it } from 'vitest';
import { expectFindings, scene } from '../sharedScene.ts';

describe('I16 and I18', () => {
  it('a journal with a hole', async () => {
    const runId = await scene.run(['queued', 'running']);
    await scene.frame(runId, 4, { status: 'failed' });
    await scene.sql(`update run set status = 'failed', ended_at = now()`);
    await expectFindings({ frameMissing: runId });
  });

  it('a run without a journal', async () => {
    const runId = await scene.run(['queued', 'running', 'failed']);
    await scene.sql('delete from run_frame');
    await expectFindings({ frameMissing: runId });
  });

  it('a journal that does not end with the status of its run', async () => {
    const runId = await scene.run(['queued', 'running', 'failed']);
    await scene.sql(`update run set status = 'succeeded'`);
    await expectFindings({ journalAgainstRun: runId });
  });

  it('a journal that goes on after the end', async () => {
    const runId = await scene.ended();
    await scene.frame(runId, 4, { level: 'info', message: 'late' }, 'log');
    await expectFindings({ journalAgainstRun: runId });
  });

  it('a frame counter that is not at the last frame', async () => {
    const runId = await scene.sleeping();
    await scene.sql('update run_work set seq = seq + 1');
    await expectFindings({ seqAgainstJournal: runId });
  });
});

describe('I18', () => {
  it('an AI step that was not counted, unless a fork carried it along', async () => {
    const runId = await scene.run(['queued', 'running', 'succeeded']);
    await scene.aiStep(runId);
    await expectFindings({});
    await scene.aiStep(runId, { index: 1, isCounted: false });
    await expectFindings({ usageMissing: runId });
    await scene.sql('update run set replay_of = id');
    await scene.sql('update run_step set ended_at = (select created_at from run)');
    await expectFindings({});
  });

  it('spend of a step that reported none', async () => {
    const runId = await scene.ended();
    await scene.usage(runId);
    await expectFindings({ usageOfNothing: runId });
  });
});
