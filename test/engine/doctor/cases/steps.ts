import { describe, expect, it } from 'vitest';
import { ago, expectFindings, found, scene } from '../sharedScene.ts';

describe('I4 and I5', () => {
  it('a step that succeeded twice', async () => {
    const runId = await scene.ended();
    await scene.step(runId, { attempt: 2 });
    const findings = await scene.findings();
    expect(Object.keys(findings).sort()).toEqual(['stepRanAfterItsEnd', 'stepSucceededTwice']);
    expect(findings['stepSucceededTwice']?.[0]).toContain(runId);
    found.add('stepSucceededTwice');
  });

  it('a step that made another attempt after its last one', async () => {
    const runId = await scene.run(['queued', 'running', 'failed']);
    await scene.step(runId, { status: 'failed' });
    await scene.step(runId, { status: 'failed', attempt: 2 });
    await expectFindings({ stepRanAfterItsEnd: runId });
  });

  it('attempts with a hole', async () => {
    const runId = await scene.run(['queued', 'running', 'succeeded']);
    await scene.step(runId, { status: 'failed', willRetry: true, runAfter: ago(1000) });
    await scene.step(runId, { attempt: 2 });
    await expectFindings({});
    await scene.sql('update run_step set attempt = 3 where attempt = 2');
    await expectFindings({ attemptMissing: runId });
  });
});

describe('I8', () => {
  it('an expired start that a live dispatcher did not drop', async () => {
    const runId = await scene.run(['queued']);
    await scene.work(runId, 'ready');
    await scene.sql('update run_work set expires_at = $1', ago(31_000));
    await expectFindings({});
    await scene.dispatcher({ startedMsAgo: 60_000 });
    await scene.sql('update run_work set expires_at = $1', ago(29_000));
    await expectFindings({});
    await scene.sql('update run_work set expires_at = $1', ago(31_000));
    await expectFindings({ startExpired: runId });
  });

  it('a timer that a live dispatcher did not fire', async () => {
    const runId = await scene.sleeping();
    await scene.sql('update run_step set run_after = $1', ago(31_000));
    await scene.sql('update run_work set due_at = $1', ago(31_000));
    await expectFindings({});
    await scene.dispatcher({ startedMsAgo: 60_000 });
    await expectFindings({ timerOverdue: runId });
  });

  it('a run that will wake after its timer is due', async () => {
    const runId = await scene.sleeping();
    await scene.sql(`update run_work set due_at = due_at + interval '1 minute'`);
    await expectFindings({ timerForgotten: runId });
  });

  it('a run that will wake after its retry is due, of which only the last counts', async () => {
    const runId = await scene.sleeping();
    const retry = { name: 'charge', index: 1, status: 'failed', willRetry: true };
    await scene.step(runId, { ...retry, runAfter: new Date(Date.now() + 60_000) });
    await expectFindings({ timerForgotten: runId });
    await scene.step(runId, { ...retry, attempt: 2, runAfter: new Date(Date.now() + 7_200_000) });
    await expectFindings({});
  });

  it('a sleep that was too short', async () => {
    const runId = await scene.run(['queued', 'running', 'waiting', 'queued', 'running', 'succeeded']);
    const nap = { op: 'Sleep', name: 'nap', input: '{"sleepMs":5000}' };
    await scene.step(runId, { ...nap, startedAt: ago(5000), endedAt: new Date() });
    await expectFindings({});
    await scene.sql(`update run_step set ended_at = ended_at - interval '50 ms'`);
    await expectFindings({ timerEarly: runId });
  });
});
