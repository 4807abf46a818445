import { describe, it } from 'vitest';
import { newId } from '../../../../src/engine/ids.ts';
import { ago, expectFindings, scene } from '../sharedScene.ts';

describe('I3', () => {
  it('an ended run that is still in the queue', async () => {
    const runId = await scene.ended();
    await scene.work(runId, 'ready');
    await expectFindings({ workOfEndedRun: runId });
  });

  it('work of a run that does not exist', async () => {
    const runId = newId();
    await scene.work(runId, 'parked', { dueAt: new Date(Date.now() + 60_000) });
    await expectFindings({ workOfEndedRun: runId });
  });

  it('an unfinished run without a queue row', async () => {
    const runId = await scene.run(['queued', 'running']);
    await expectFindings({ openRunWithoutWork: runId });
  });

  it.each([
    ['running', 'parked'],
    ['queued', 'leased'],
    ['waiting', 'ready'],
    ['queued', 'stranded'],
    ['waiting', 'gated'],
    ['running', 'paused'],
  ])('a run that reads as %s while its work is %s', async (status, state) => {
    const runId = await scene.sleeping();
    await scene.frame(runId, 4, { status: 'queued' });
    if (status !== 'queued') await scene.frame(runId, 5, { status });
    const seq = status === 'queued' ? 4 : 5;
    await scene.sql('update run set status = $2 where id = $1', runId, status);
    await scene.sql(
      `update run_work set state = $2, lease_id = $3, stranded_at = now(), seq = $4, resume_state = $5,
         gate = case when $2 = 'gated' then 'slot' end
       where run_id = $1`,
      runId,
      state,
      state === 'leased' ? await scene.dispatcher() : null,
      seq,
      state === 'paused' ? 'ready' : null,
    );
    await expectFindings({ statusAgainstWork: runId });
  });

  it.each([
    ['names who paused it while it is not', `update run set paused_reason = 'manual'`],
    ['is to be paused while nobody executes it', `update run_work set pausing = true`],
  ])('a run that %s', async (_what, change) => {
    const runId = await scene.sleeping();
    await scene.sql(change);
    await expectFindings({ statusAgainstWork: runId });
  });

  it('a lease of a dispatcher that does not exist', async () => {
    const runId = await scene.leased(newId());
    await expectFindings({ leaseOfNobody: runId });
  });

  it('a lease of a dispatcher that fell silent, while another is alive', async () => {
    const runId = await scene.leased(await scene.dispatcher({ startedMsAgo: 60_000, silentMs: 11_000 }));
    await expectFindings({});
    await scene.dispatcher({ startedMsAgo: 60_000 });
    await expectFindings({ leaseOfNobody: runId });
  });

  it('a lease of a dispatcher whose heartbeat lies in the future, while another is alive', async () => {
    const runId = await scene.leased(await scene.dispatcher({ startedMsAgo: 60_000, silentMs: -3_600_000 }));
    await expectFindings({});
    await scene.dispatcher({ startedMsAgo: 60_000 });
    await expectFindings({ leaseOfNobody: runId });
  });

  it('a parked run that nothing can wake', async () => {
    const runId = await scene.listening();
    await scene.sql('delete from run_wait');
    await scene.sql(`update run_step set op = 'StepRun'`);
    await expectFindings({ parkedForNothing: runId });
  });

  it('a run parked on a child waits for as long as the child is unfinished', async () => {
    const runId = await scene.listening();
    const child = await scene.sleeping();
    await scene.sql('delete from run_wait');
    await scene.sql(`update run_step set op = 'RunWorkflow', child_run_id = $2 where run_id = $1`, runId, child);
    await expectFindings({});
    const over = await scene.ended();
    await scene.sql('update run_step set child_run_id = $2 where run_id = $1', runId, over);
    await expectFindings({ parkedForNothing: runId });
  });

  it('a run that would wait for a runner for ever', async () => {
    const runId = await scene.stranded();
    await scene.sql('update run_work set due_at = null');
    await expectFindings({ strandedForEver: runId });
  });

  it('a ready run that idle live runners do not get', async () => {
    const runId = await scene.ready();
    await scene.sql(
      `insert into lane (id, project_id, app, workflow) values (1, $1, 'shop', 'order')`,
      scene.projectId,
    );
    await scene.sql(
      `insert into runner (id, project_id, app, runner_id, transport, url, workflows, connection_id, max_in_flight)
       values ($1, $2, 'shop', 'r', 'connect', 'conn://r', '{order}', $1, 2)`,
      newId(),
      scene.projectId,
    );
    await scene.sql('update run_frame set ts = $1', ago(11_000));
    await scene.sql('update run_work set position = position - 11000000');
    await expectFindings({});
    const dispatcher = await scene.dispatcher({ startedMsAgo: 60_000 });
    await expectFindings({ readyAndIgnored: runId });
    await scene.leased(dispatcher);
    await expectFindings({});
  });
});

describe('I7', () => {
  it('a transition that 3.1 does not know', async () => {
    const runId = await scene.run(['queued', 'succeeded']);
    await expectFindings({ transitionNotAllowed: `${runId} went from queued to succeeded` });
  });

  it('a journal that does not begin with queued', async () => {
    const runId = await scene.run(['running', 'succeeded']);
    await expectFindings({ transitionNotAllowed: `${runId} begins with running` });
  });

  it('a run that ended twice', async () => {
    const runId = await scene.run(['queued', 'running', 'failed', 'failed']);
    await expectFindings({ endedTwice: runId, transitionNotAllowed: runId });
  });

  it('an error with U+0000 and half a surrogate pair in a journal disturbs no check', async () => {
    const runId = await scene.run(['queued', 'running']);
    await scene.frame(runId, 3, { status: 'failed', error: { message: '\0 \ud800' } });
    await scene.sql(`update run set status = 'failed', ended_at = now()`);
    await expectFindings({});
  });

  it('an ended run with an open step', async () => {
    const runId = await scene.ended();
    await scene.step(runId, { name: 'nap', index: 1, status: 'waiting', op: 'Sleep' });
    await expectFindings({ openStepOfEndedRun: runId });
  });

  it('an ended run with a step that is to be tried again; not one with a step that was', async () => {
    const runId = await scene.ended();
    const announced = { status: 'failed', willRetry: true, runAfter: ago(1_000) } as const;
    await scene.step(runId, { name: 'flaky', index: 1, attempt: 1, ...announced });
    await expectFindings({ openStepOfEndedRun: runId });
    await scene.step(runId, { name: 'flaky', index: 1, attempt: 2, status: 'failed' });
    await expectFindings({});
  });
});
