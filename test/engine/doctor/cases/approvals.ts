import { describe, it } from 'vitest';
import { newId } from '../../../../src/engine/ids.ts';
import { ago, expectFindings, scene } from '../sharedScene.ts';

describe('I13', () => {
  it('a decision that its run does not know', async () => {
    const runId = await scene.decided();
    await scene.sql(`update run_step set output = '{"status":"denied","args":{}}'`);
    await expectFindings({ decisionWithoutMemo: runId });
  });

  it('a run that went on without a decision, forks aside', async () => {
    const runId = await scene.decided();
    await scene.sql('delete from approval');
    await expectFindings({ memoWithoutDecision: runId });
    await scene.sql('update run set replay_of = $1', newId());
    await expectFindings({});
  });

  it('a step that waits for a decision without an open approval', async () => {
    const runId = await scene.asking();
    await scene.sql(`update approval set status = 'cancelled'`);
    await scene.sql('update run_work set due_at = $1', new Date(Date.now() + 60_000));
    await expectFindings({ approvalMissing: runId });
  });

  it('an open approval of a run that is over', async () => {
    const runId = await scene.ended('cancelled');
    await scene.approval(runId, 'escalated');
    await expectFindings({ approvalOfNothing: runId });
  });

  it('a deadline that a live dispatcher did not apply', async () => {
    const runId = await scene.asking();
    await scene.sql('update approval set expires_at = $1', ago(40_000));
    await expectFindings({});
    await scene.dispatcher({ startedMsAgo: 60_000 });
    await expectFindings({ approvalOverdue: runId });
    await scene.sql(`update approval set status = 'escalated'`);
    await expectFindings({});
  });
});
