import { describe, it } from 'vitest';
import { newId } from '../../../../src/engine/ids.ts';
import { createTestProject } from '../../../support/engine.ts';
import { DoctorScene } from '../scene.ts';
import { ago, expectFindings, scene, test } from '../sharedScene.ts';

describe('I1', () => {
  it('an event that started a run which does not exist', async () => {
    const eventId = await scene.event({ triggered: [{ app: 'shop', workflow: 'order', runId: newId() }] });
    await expectFindings({ startedRunMissing: eventId });
  });

  it("an event that started another project's run", async () => {
    const theirs = new DoctorScene(test.engine, await createTestProject(test.engine));
    const runId = await theirs.ended();
    const eventId = await scene.event({ triggered: [{ app: 'shop', workflow: 'order', runId }] });
    await expectFindings({ startedRunMissing: eventId });
  });

  it('a withheld start is none', async () => {
    await scene.event({ triggered: [{ app: 'shop', workflow: 'order', skipped: true }] });
    await expectFindings({});
  });

  it('a run of an event that is not in the log', async () => {
    const runId = await scene.run(['queued', 'running', 'failed'], { eventId: newId() });
    await expectFindings({ runOfMissingEvent: runId });
  });

  it('an event that was delivered and has no number', async () => {
    const [, eventId] = [await scene.event(), await scene.event()];
    await scene.sql('delete from event_seq where event_id = $1', eventId);
    await scene.sql('update event_head set seq = 1');
    await expectFindings({ eventUnnumbered: eventId });
    await scene.sql('insert into event_pending (event_id, project_id) values ($1, $2)', eventId, scene.projectId);
    await expectFindings({});
  });

  it('two events with one dedupeId within its window', async () => {
    await scene.event({ dedupeId: 'order-1' });
    const again = await scene.event({ dedupeId: 'order-1' });
    await expectFindings({ dedupedTwice: again });
    await scene.sql(`update event set received_at = now() - interval '25 hours' where id <> $1`, again);
    await expectFindings({});
  });
});

describe('I2', () => {
  it('an event that started a workflow twice, forks aside', async () => {
    const eventId = await scene.event();
    const first = await scene.run(['queued', 'running', 'failed'], { eventId });
    const fork = await scene.run(['queued', 'running', 'failed'], { eventId });
    await scene.sql('update run set replay_of = $1 where id = $2', first, fork);
    await expectFindings({});
    await scene.run(['queued', 'running', 'failed'], { eventId });
    await expectFindings({ startedTwice: eventId });
  });
});

describe('I9', () => {
  it('an event whose waiters a live dispatcher did not wake', async () => {
    const eventId = await scene.event();
    await scene.sql('insert into event_pending values ($1, $2, $3)', eventId, scene.projectId, ago(61_000));
    await expectFindings({});
    await scene.dispatcher({ startedMsAgo: 70_000 });
    await expectFindings({ eventPendingTooLong: eventId });
  });

  it('a wait that looks back, for which no live dispatcher searched the log', async () => {
    const runId = await scene.listening();
    await scene.sql('update run_wait set since = $1, looks_back = true, created_at = $1', ago(61_000));
    await expectFindings({});
    await scene.dispatcher({ startedMsAgo: 70_000 });
    await expectFindings({ logUnsearched: runId });
  });

  it('a wait of a run that has ended', async () => {
    const runId = await scene.listening();
    await scene.sql('delete from run_work');
    await scene.sql(`update run set status = 'cancelled', ended_at = now()`);
    await scene.sql(`update run_step set status = 'cancelled', ended_at = now()`);
    await scene.frame(runId, 4, { status: 'cancelled' });
    await expectFindings({ waitOfEndedRun: runId });
  });

  it('a wait whose step is over', async () => {
    const runId = await scene.listening();
    await scene.sql(`update run_step set status = 'succeeded', output = 'null', ended_at = now()`);
    await expectFindings({ waitOfEndedRun: runId });
  });

  it('a step that waits for an event without a wait', async () => {
    const runId = await scene.listening();
    await scene.sql('update run_work set due_at = $1', new Date(Date.now() + 60_000));
    await scene.sql('delete from run_wait');
    await expectFindings({ waitMissing: runId });
  });

  it('an event that counts a run by its waits', async () => {
    const { eventId, runId } = await scene.woken();
    await scene.step(runId, {
      op: 'WaitForEvent',
      name: 'paid:1',
      index: 1,
      output: `{ "id" : "${eventId}" }`,
    });
    await expectFindings({});
    await scene.sql('update event set woke = 2');
    await expectFindings({ wokeMiscounted: eventId });
  });

  it('an event that names a run twice', async () => {
    const { eventId } = await scene.woken();
    await scene.sql('update event set woke_runs = woke_runs || woke_runs');
    await expectFindings({ wokeMiscounted: eventId });
    await scene.sql('update event set woke = 2');
    await expectFindings({ wokeMiscounted: eventId });
  });

  it('an event that counts a run which timed out', async () => {
    const { eventId } = await scene.woken();
    await scene.sql(`update run_step set output = 'null'`);
    await expectFindings({ wokeMiscounted: eventId });
  });

  it('a wait that holds an event which does not count it', async () => {
    const { runId } = await scene.woken();
    await scene.sql(`update event set woke = 0, woke_runs = '{}'`);
    await expectFindings({ wokenUncounted: runId });
  });
});
