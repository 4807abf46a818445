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

  it('events whose numbers do not end with the head of the project, or have a hole', async () => {
    const [first, second, third] = [await scene.event(), await scene.event(), await scene.event()];
    await scene.sql('update event_head set seq = 4');
    await expectFindings({ eventSeqAgainstHead: scene.projectId });
    await scene.sql('update event_head set seq = 3');
    await scene.sql('update event_seq set seq = 0 where event_id = $1', first);
    await expectFindings({ eventSeqAgainstHead: second });
    await scene.sql('update event_seq set seq = 1 where event_id = $1', first);
    await scene.sql('update event_seq set seq = -1 where event_id = $1', second);
    await expectFindings({ eventSeqAgainstHead: third });
  });
});
