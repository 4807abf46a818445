import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checks } from '../../../src/engine/doctor/checks.ts';
import { newId } from '../../../src/engine/ids.ts';
import { createTestEngine, createTestProject, type TestEngine } from '../../support/engine.ts';
import { registerWorkflows } from '../../support/workflows.ts';
import { Patient } from './patient.ts';

let test: TestEngine;
let patient: Patient;
const found = new Set<string>();

beforeAll(async () => {
  test = await createTestEngine();
  patient = new Patient(test.engine, await createTestProject(test.engine));
});
afterEach(() => patient.discharge());
afterAll(() => test.close());

/** Exactly these checks speak up; each names the subject. */
async function expectFindings(expected: Record<string, string>): Promise<void> {
  const findings = await patient.findings();
  expect(Object.keys(findings).sort()).toEqual(Object.keys(expected).sort());
  for (const [check, subject] of Object.entries(expected)) {
    found.add(check);
    expect(findings[check]).toEqual([expect.stringContaining(subject)]);
  }
}

const ago = (ms: number): Date => new Date(Date.now() - ms);

it('a healthy database of every kind of run has no violations', async () => {
  await patient.dispatcher({ startedMsAgo: 3_600_000 });
  await patient.ended('succeeded');
  await patient.ended('failed');
  await patient.ended('cancelled');
  await patient.ready();
  await patient.leased();
  await patient.sleeping();
  await patient.listening();
  await patient.stranded();
  await patient.woken();
  await patient.asking();
  await patient.decided();
  await expectFindings({});
});

describe('I1', () => {
  it('an event that started a run which does not exist', async () => {
    const eventId = await patient.event({ triggered: [{ app: 'shop', workflow: 'order', runId: newId() }] });
    await expectFindings({ startedRunMissing: eventId });
  });

  it("an event that started another project's run", async () => {
    const theirs = new Patient(test.engine, await createTestProject(test.engine));
    const runId = await theirs.ended();
    const eventId = await patient.event({ triggered: [{ app: 'shop', workflow: 'order', runId }] });
    await expectFindings({ startedRunMissing: eventId });
  });

  it('a withheld start is none', async () => {
    await patient.event({ triggered: [{ app: 'shop', workflow: 'order', skipped: true }] });
    await expectFindings({});
  });

  it('a run of an event that is not in the log', async () => {
    const runId = await patient.run(['queued', 'running', 'failed'], { eventId: newId() });
    await expectFindings({ runOfMissingEvent: runId });
  });

  it('two events with one dedupeId within its window', async () => {
    await patient.event({ dedupeId: 'order-1' });
    const again = await patient.event({ dedupeId: 'order-1' });
    await expectFindings({ dedupedTwice: again });
    await patient.sql(`update event set received_at = now() - interval '25 hours' where id <> $1`, again);
    await expectFindings({});
  });
});

describe('I2', () => {
  it('an event that started a workflow twice, forks aside', async () => {
    const eventId = await patient.event();
    const first = await patient.run(['queued', 'running', 'failed'], { eventId });
    const fork = await patient.run(['queued', 'running', 'failed'], { eventId });
    await patient.sql('update run set replay_of = $1 where id = $2', first, fork);
    await expectFindings({});
    await patient.run(['queued', 'running', 'failed'], { eventId });
    await expectFindings({ startedTwice: eventId });
  });
});

describe('I3', () => {
  it('an ended run that is still in the queue', async () => {
    const runId = await patient.ended();
    await patient.work(runId, 'ready');
    await expectFindings({ workOfEndedRun: runId });
  });

  it('work of a run that does not exist', async () => {
    const runId = newId();
    await patient.work(runId, 'parked', { dueAt: new Date(Date.now() + 60_000) });
    await expectFindings({ workOfEndedRun: runId });
  });

  it('an unfinished run that nothing continues', async () => {
    const runId = await patient.run(['queued', 'running']);
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
    const runId = await patient.sleeping();
    await patient.frame(runId, 4, { status: 'queued' });
    if (status !== 'queued') await patient.frame(runId, 5, { status });
    const seq = status === 'queued' ? 4 : 5;
    await patient.sql('update run set status = $2 where id = $1', runId, status);
    await patient.sql(
      `update run_work set state = $2, lease_id = $3, stranded_at = now(), seq = $4, resume_state = $5,
         gate = case when $2 = 'gated' then 'slot' end
       where run_id = $1`,
      runId,
      state,
      state === 'leased' ? await patient.dispatcher() : null,
      seq,
      state === 'paused' ? 'ready' : null,
    );
    await expectFindings({ statusAgainstWork: runId });
  });

  it.each([
    ['names who paused it while it is not', `update run set paused_reason = 'manual'`],
    ['is to be paused while nobody executes it', `update run_work set pausing = true`],
  ])('a run that %s', async (_what, change) => {
    const runId = await patient.sleeping();
    await patient.sql(change);
    await expectFindings({ statusAgainstWork: runId });
  });

  it('a lease of a dispatcher that does not exist', async () => {
    const runId = await patient.leased(newId());
    await expectFindings({ leaseOfNobody: runId });
  });

  it('a lease of a dispatcher that fell silent, while another is alive', async () => {
    const runId = await patient.leased(await patient.dispatcher({ startedMsAgo: 60_000, silentMs: 11_000 }));
    await expectFindings({});
    await patient.dispatcher({ startedMsAgo: 60_000 });
    await expectFindings({ leaseOfNobody: runId });
  });

  it('a parked run that nothing could wake', async () => {
    const runId = await patient.listening();
    await patient.sql('delete from run_wait');
    await patient.sql(`update run_step set op = 'StepRun'`);
    await expectFindings({ parkedForNothing: runId });
  });

  it('a run parked on a child waits for as long as the child is unfinished', async () => {
    const runId = await patient.listening();
    const child = await patient.sleeping();
    await patient.sql('delete from run_wait');
    await patient.sql(`update run_step set op = 'RunWorkflow', child_run_id = $2 where run_id = $1`, runId, child);
    await expectFindings({});
    const over = await patient.ended();
    await patient.sql('update run_step set child_run_id = $2 where run_id = $1', runId, over);
    await expectFindings({ parkedForNothing: runId });
  });

  it('a run that would wait for a runner for ever', async () => {
    const runId = await patient.stranded();
    await patient.sql('update run_work set due_at = null');
    await expectFindings({ strandedForEver: runId });
  });

  it('a ready run that live runners with room do not get', async () => {
    const runId = await patient.ready();
    await patient.sql(
      `insert into lane (id, project_id, app, workflow) values (1, $1, 'shop', 'order')`,
      patient.projectId,
    );
    await patient.sql(
      `insert into runner (id, project_id, app, runner_id, transport, url, workflows, connection_id, max_in_flight)
       values ($1, $2, 'shop', 'r', 'connect', 'conn://r', '{order}', $1, 2)`,
      newId(),
      patient.projectId,
    );
    await patient.sql('update run_frame set ts = $1', ago(11_000));
    await patient.sql('update run_work set position = position - 11000000');
    await expectFindings({});
    const dispatcher = await patient.dispatcher({ startedMsAgo: 60_000 });
    await expectFindings({ readyAndIgnored: runId });
    await patient.leased(dispatcher);
    await expectFindings({});
  });
});

describe('I4 and I5', () => {
  it('a step that succeeded twice', async () => {
    const runId = await patient.ended();
    await patient.step(runId, { attempt: 2 });
    const findings = await patient.findings();
    expect(Object.keys(findings).sort()).toEqual(['stepRanAfterItsEnd', 'stepSucceededTwice']);
    expect(findings['stepSucceededTwice']?.[0]).toContain(runId);
    found.add('stepSucceededTwice');
  });

  it('a step that made another attempt after its last one', async () => {
    const runId = await patient.run(['queued', 'running', 'failed']);
    await patient.step(runId, { status: 'failed' });
    await patient.step(runId, { status: 'failed', attempt: 2 });
    await expectFindings({ stepRanAfterItsEnd: runId });
  });

  it('attempts with a hole', async () => {
    const runId = await patient.run(['queued', 'running', 'succeeded']);
    await patient.step(runId, { status: 'failed', willRetry: true, runAfter: ago(1000) });
    await patient.step(runId, { attempt: 2 });
    await expectFindings({});
    await patient.sql('update run_step set attempt = 3 where attempt = 2');
    await expectFindings({ attemptMissing: runId });
  });
});

describe('I7', () => {
  it('a transition that 3.1 does not know', async () => {
    const runId = await patient.run(['queued', 'succeeded']);
    await expectFindings({ transitionNotAllowed: `${runId} went from queued to succeeded` });
  });

  it('a journal that does not begin with queued', async () => {
    const runId = await patient.run(['running', 'succeeded']);
    await expectFindings({ transitionNotAllowed: `${runId} begins with running` });
  });

  it('a run that ended twice', async () => {
    const runId = await patient.run(['queued', 'running', 'failed', 'failed']);
    await expectFindings({ endedTwice: runId, transitionNotAllowed: runId });
  });

  it('an error with U+0000 and half a surrogate pair in a journal disturbs nobody', async () => {
    const runId = await patient.run(['queued', 'running']);
    await patient.frame(runId, 3, { status: 'failed', error: { message: '\0 \ud800' } });
    await patient.sql(`update run set status = 'failed', ended_at = now()`);
    await expectFindings({});
  });

  it('an ended run with an open step', async () => {
    const runId = await patient.ended();
    await patient.step(runId, { name: 'nap', index: 1, status: 'waiting', op: 'Sleep' });
    await expectFindings({ openStepOfEndedRun: runId });
  });
});

describe('I8', () => {
  it('a timer that nobody fired, while somebody should have', async () => {
    const runId = await patient.sleeping();
    await patient.sql('update run_step set run_after = $1', ago(31_000));
    await patient.sql('update run_work set due_at = $1', ago(31_000));
    await expectFindings({});
    await patient.dispatcher({ startedMsAgo: 60_000 });
    await expectFindings({ timerOverdue: runId });
  });

  it('a run that would sleep past its timer', async () => {
    const runId = await patient.sleeping();
    await patient.sql(`update run_work set due_at = due_at + interval '1 minute'`);
    await expectFindings({ timerForgotten: runId });
  });

  it('a run that would sleep past its retry, of which only the last counts', async () => {
    const runId = await patient.sleeping();
    const retry = { name: 'charge', index: 1, status: 'failed', willRetry: true };
    await patient.step(runId, { ...retry, runAfter: new Date(Date.now() + 60_000) });
    await expectFindings({ timerForgotten: runId });
    await patient.step(runId, { ...retry, attempt: 2, runAfter: new Date(Date.now() + 7_200_000) });
    await expectFindings({});
  });

  it('a sleep that was too short', async () => {
    const runId = await patient.run(['queued', 'running', 'waiting', 'queued', 'running', 'succeeded']);
    const nap = { op: 'Sleep', name: 'nap', input: '{"sleepMs":5000}' };
    await patient.step(runId, { ...nap, startedAt: ago(5000), endedAt: new Date() });
    await expectFindings({});
    await patient.sql(`update run_step set ended_at = ended_at - interval '50 ms'`);
    await expectFindings({ timerEarly: runId });
  });
});

describe('I9', () => {
  it('an event whose waiters were forgotten, while somebody should have woken them', async () => {
    const eventId = await patient.event();
    await patient.sql('insert into event_pending values ($1, $2, $3)', eventId, patient.projectId, ago(61_000));
    await expectFindings({});
    await patient.dispatcher({ startedMsAgo: 70_000 });
    await expectFindings({ eventPendingTooLong: eventId });
  });

  it('a wait of a run that has ended', async () => {
    const runId = await patient.listening();
    await patient.sql('delete from run_work');
    await patient.sql(`update run set status = 'cancelled', ended_at = now()`);
    await patient.sql(`update run_step set status = 'cancelled', ended_at = now()`);
    await patient.frame(runId, 4, { status: 'cancelled' });
    await expectFindings({ waitOfEndedRun: runId });
  });

  it('a wait whose step is over', async () => {
    const runId = await patient.listening();
    await patient.sql(`update run_step set status = 'succeeded', output = 'null', ended_at = now()`);
    await expectFindings({ waitOfEndedRun: runId });
  });

  it('a step that waits for an event which could never wake it', async () => {
    const runId = await patient.listening();
    await patient.sql('update run_work set due_at = $1', new Date(Date.now() + 60_000));
    await patient.sql('delete from run_wait');
    await expectFindings({ waitMissing: runId });
  });

  it('an event that counts too few', async () => {
    const { eventId, runId } = await patient.woken();
    await patient.step(runId, {
      op: 'WaitForEvent',
      name: 'paid:1',
      index: 1,
      output: `{ "id" : "${eventId}" }`,
    });
    await expectFindings({ wokeMiscounted: eventId });
    await patient.sql('update event set woke = 2');
    await expectFindings({});
  });

  it('an event that counts a run which timed out', async () => {
    const { eventId } = await patient.woken();
    await patient.sql(`update run_step set output = 'null'`);
    await expectFindings({ wokeMiscounted: eventId });
  });

  it('a wait that holds an event which does not count it', async () => {
    const { runId } = await patient.woken();
    await patient.sql(`update event set woke = 0, woke_runs = '{}'`);
    await expectFindings({ wokenUncounted: runId });
  });
});

describe('I10', () => {
  it('a buffer that stays due although somebody looks after such things', async () => {
    const bufferId = await patient.buffer();
    await patient.sql('update flow_buffer set flush_at = $1', ago(31_000));
    await expectFindings({});
    await patient.dispatcher({ startedMsAgo: 60_000 });
    await expectFindings({ bufferOverdue: bufferId });
  });

  it('a buffer that does not say what it holds', async () => {
    const bufferId = await patient.buffer();
    await expectFindings({});
    await patient.sql('update flow_buffer set items = items + 1');
    await expectFindings({ bufferMiscounted: bufferId });
    await patient.sql('update flow_buffer set items = items - 1, bytes = bytes + 1');
    await expectFindings({ bufferMiscounted: bufferId });
    await patient.sql('delete from flow_buffer_item');
    await expectFindings({ bufferMiscounted: bufferId });
  });

  it('a buffered event without its buffer', async () => {
    const bufferId = await patient.buffer();
    await patient.sql('delete from flow_buffer');
    await expectFindings({ bufferMiscounted: bufferId });
  });

  it('a run with more events than its workflow allows', async () => {
    const batch = { maxSize: 2, timeoutMs: 1000 };
    await registerWorkflows(test.engine, patient.projectId, [{ name: 'order', batch }], { app: 'shop' });
    const runId = await patient.ended();
    await patient.sql("update workflow set version = 'v1'");
    await patient.sql(`update run set events = '[{"data":"\\u0000"},{}]'`);
    await expectFindings({});
    await patient.sql(`update run set events = '[{},{},{}]'`);
    await expectFindings({ batchTooLarge: runId });
  });
});

describe('I12', () => {
  const over = (ms: number): Date => new Date(Date.now() + ms);

  it('a run that called a model after it had reached its cap, and went on', async () => {
    await registerWorkflows(test.engine, patient.projectId, [{ name: 'order', cap: { maxTokens: 20 } }], {
      app: 'shop',
    });
    const runId = await patient.run(['queued', 'running', 'succeeded']);
    for (const index of [0, 1]) await patient.aiStep(runId, { index, at: over(1000) });
    await expectFindings({});
    await patient.aiStep(runId, { index: 2, at: over(2000) });
    await expectFindings({ capPassed: runId });
    await patient.sql("update workflow set updated_at = now() + interval '1 h'");
    await expectFindings({});
    await patient.sql("update workflow set updated_at = now() - interval '1 h'");
    await patient.sql(`update run set status = 'failed'`);
    await patient.sql(`update run_frame set payload = '{"status":"failed"}' where payload ->> 'status' = 'succeeded'`);
    await expectFindings({});
  });
});

describe('I12, budgets', () => {
  const minute = 60_000;

  /** A budget of 20 tokens in ten minutes, registered long ago, and somebody who looks after it. */
  async function budgeted(): Promise<void> {
    const budget = { maxTokens: 20, windowMs: 10 * minute };
    await registerWorkflows(test.engine, patient.projectId, [{ name: 'order', budget }], { app: 'shop' });
    await patient.sql('delete from runner');
    await patient.sql('update workflow set updated_at = $1', ago(60 * minute));
    await patient.dispatcher({ startedMsAgo: 60 * minute });
  }

  const exceeded = (since: Date) =>
    patient.sql(
      "insert into flow_budget (project_id, app, workflow, exceeded_at) values ($1, 'shop', 'order', $2)",
      patient.projectId,
      since,
    );

  it('one that is spent without anybody noticing', async () => {
    await budgeted();
    const runId = await patient.run(['queued', 'running', 'succeeded']);
    await patient.aiStep(runId, { tokens: 19, at: ago(5 * minute) });
    await patient.aiStep(runId, { index: 1, at: ago(1000) });
    await expectFindings({});
    await patient.sql('update ai_usage set created_at = $1 where step_index = 1', ago(4 * minute));
    const { id } = await test.db.prisma.workflow.findFirstOrThrow();
    await expectFindings({ budgetMissed: id });
    await exceeded(ago(3 * minute));
    await expectFindings({});
  });

  it('a run that goes on although its budget has long been spent', async () => {
    await budgeted();
    await patient.sql(
      "insert into lane (id, project_id, app, workflow) values (1, $1, 'shop', 'order')",
      patient.projectId,
    );
    await exceeded(ago(5 * minute));
    const held = await patient.heldByBudget();
    await patient.aiStep(held, { tokens: 20, at: ago(6 * minute) });
    const free = await patient.sleeping();
    await expectFindings({});
    await patient.sql('update run_frame set ts = $1', ago(4 * minute));
    await expectFindings({ budgetIgnored: free });
  });

  it('one that holds a run although it has long had room again', async () => {
    await budgeted();
    const runId = await patient.heldByBudget();
    await patient.aiStep(runId, { tokens: 20, at: ago(10 * minute + 1000) });
    await expectFindings({});
    await patient.sql('update ai_usage set created_at = $1', ago(12 * minute));
    await expectFindings({ budgetHeldTooLong: runId });
    await patient.sql('update workflow set updated_at = now()');
    await expectFindings({});
  });
});

describe('I13', () => {
  it('a decision that its run does not know', async () => {
    const runId = await patient.decided();
    await patient.sql(`update run_step set output = '{"status":"denied","args":{}}'`);
    await expectFindings({ decisionWithoutMemo: runId });
  });

  it('a run that went on without a decision, forks aside', async () => {
    const runId = await patient.decided();
    await patient.sql('delete from approval');
    await expectFindings({ memoWithoutDecision: runId });
    await patient.sql('update run set replay_of = $1', newId());
    await expectFindings({});
  });

  it('a step that waits for a decision nobody can make', async () => {
    const runId = await patient.asking();
    await patient.sql(`update approval set status = 'cancelled'`);
    await patient.sql('update run_work set due_at = $1', new Date(Date.now() + 60_000));
    await expectFindings({ approvalMissing: runId });
  });

  it('an open approval of a run that is over', async () => {
    const runId = await patient.ended('cancelled');
    await patient.approval(runId, 'escalated');
    await expectFindings({ approvalOfNothing: runId });
  });

  it('a deadline that nobody applied, while somebody should', async () => {
    const runId = await patient.asking();
    await patient.sql('update approval set expires_at = $1', ago(40_000));
    await expectFindings({});
    await patient.dispatcher({ startedMsAgo: 60_000 });
    await expectFindings({ approvalOverdue: runId });
    await patient.sql(`update approval set status = 'escalated'`);
    await expectFindings({});
  });
});

describe('I16 and I18', () => {
  it('a journal with a hole', async () => {
    const runId = await patient.run(['queued', 'running']);
    await patient.frame(runId, 4, { status: 'failed' });
    await patient.sql(`update run set status = 'failed', ended_at = now()`);
    await expectFindings({ frameMissing: runId });
  });

  it('a run without a journal', async () => {
    const runId = await patient.run(['queued', 'running', 'failed']);
    await patient.sql('delete from run_frame');
    await expectFindings({ frameMissing: runId });
  });

  it('a journal that does not end with the status of its run', async () => {
    const runId = await patient.run(['queued', 'running', 'failed']);
    await patient.sql(`update run set status = 'succeeded'`);
    await expectFindings({ journalAgainstRun: runId });
  });

  it('a journal that goes on after the end', async () => {
    const runId = await patient.ended();
    await patient.frame(runId, 4, { level: 'info', message: 'late' }, 'log');
    await expectFindings({ journalAgainstRun: runId });
  });

  it('a frame counter that is not at the last frame', async () => {
    const runId = await patient.sleeping();
    await patient.sql('update run_work set seq = seq + 1');
    await expectFindings({ seqAgainstJournal: runId });
  });
});

describe('I18', () => {
  it('an AI step that was not counted, unless a fork carried it along', async () => {
    const runId = await patient.run(['queued', 'running', 'succeeded']);
    await patient.aiStep(runId);
    await expectFindings({});
    await patient.aiStep(runId, { index: 1, isCounted: false });
    await expectFindings({ usageMissing: runId });
    await patient.sql('update run set replay_of = id');
    await patient.sql('update run_step set ended_at = (select created_at from run)');
    await expectFindings({});
  });

  it('spend of a step that reported none', async () => {
    const runId = await patient.ended();
    await patient.usage(runId);
    await expectFindings({ usageOfNothing: runId });
  });
});

describe('I11', () => {
  /** Runs of one scope that wait (`gate`), or execute (none); their workflow lets one at a time. */
  const counted = async (gates: (string | null)[]): Promise<string[]> => {
    const workflow = { name: 'order', concurrency: { limit: 1 } };
    await registerWorkflows(test.engine, patient.projectId, [workflow], { app: 'shop' });
    // Not by `lanes`, which would remember those of former patients.
    const { id: laneId } = await test.db.prisma.lane.create({
      data: { projectId: patient.projectId, app: 'shop', workflow: 'order' },
    });
    const runIds: string[] = [];
    for (const gate of gates) {
      const runId = gate === null ? await patient.leased() : await patient.ready();
      await patient.sql(
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
    patient.sql('update project set concurrency_ceiling = $2 where id = $1', patient.projectId, max);
  const framedAt = (at: Date) => patient.sql('update run_frame set ts = $1', at);

  it('two runs of one scope that execute, where one may', async () => {
    const [first = '', second = ''] = await counted([null, null]);
    await expectFindings({ slotOverfull: [first, second].sort()[0] ?? '' });
    await framedAt(ago(60_000));
    await expectFindings({});
  });

  it('more runs than the ceiling of their project', async () => {
    await patient.leased();
    const last = await patient.leased();
    await ceiling(2);
    await expectFindings({});
    await ceiling(1);
    await expectFindings({ ceilingPassed: last });
    await framedAt(ago(60_000));
    await expectFindings({});
    await ceiling(0);
  });

  it('a run that waits for a slot, or under a ceiling, though there is room, and stays there', async () => {
    await patient.dispatcher({ startedMsAgo: 3_600_000 });
    await counted([null, 'slot']);
    await framedAt(ago(60_000));
    await expectFindings({});
    await patient.discharge();

    await patient.dispatcher({ startedMsAgo: 3_600_000 });
    const [waiting = ''] = await counted(['slot', 'slot']);
    await expectFindings({});
    await framedAt(ago(60_000));
    await expectFindings({ gatedAndForgotten: waiting });
    await patient.sql(`update run_work set gate = 'ceiling' where run_id = $1`, waiting);
    await expectFindings({ gatedAndForgotten: waiting });
  }, 30_000);
});

describe('I17', () => {
  const cronRun = async (replayOf: string | null = null): Promise<string> => {
    const runId = await patient.ended();
    await patient.sql(
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

  it('a schedule that stays due although somebody looks after such things', async () => {
    await registerWorkflows(test.engine, patient.projectId, [{ name: 'late', triggers: [{ cron: '0 0 1 1 *' }] }]);
    await patient.sql('update cron_schedule set next_fire_at = $1', ago(60_000));
    await expectFindings({});
    await patient.dispatcher({ startedMsAgo: 3_600_000 });
    const { id } = await test.db.prisma.cronSchedule.findFirstOrThrow();
    await expectFindings({ cronOverdue: id });
    await patient.sql('delete from cron_schedule');
  });
});

describe('I19', () => {
  it('a connection that holds a transaction open', async () => {
    const client = await test.db.pool.connect();
    try {
      await client.query('begin');
      await client.query('select 1');
      await expect
        .poll(() => patient.findings(), { timeout: 15_000, interval: 500 })
        .toHaveProperty('idleInTransaction');
      found.add('idleInTransaction');
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

it('every check was seen to find something', () => {
  expect(checks.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});
