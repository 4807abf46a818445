import { describe, expect, it } from 'vitest';
import { decideApproval } from '../../../src/engine/approvals/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { pauseRun, resumeRun } from '../../../src/engine/control/index.ts';
import type { Reply } from '../../../src/engine/passes/index.ts';
import { readWaits } from '../../../src/engine/runs/index.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { complete, memoOf, type Script, steps, thrown } from '../../support/scriptedRunner.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

const inMs = (ms: number) => new Date(clock.now().getTime() + ms);
const waitOf = async (runId: string) => (await readWaits(test.engine.db, [runId])).get(runId);

const twice = { name: 'flow', retry: { maxAttempts: 2, backoff: 'fixed' as const, initialDelayMs: 60_000 } };

/** A run after its first pass, with its wait and the last frame. */
async function parked(script: Script, workflow: Parameters<typeof openScene>[2] = { name: 'flow' }) {
  const scene = await openScene(test, script, workflow);
  const runId = await scene.start();
  await scene.dispatcher.runOnce();
  const last = async () => (await scene.frames(runId)).findLast(({ kind }) => kind === 'run_status');
  return { ...scene, runId, last };
}

const hour = 3_600_000;

describe('a parked run waits for', () => {
  it.each([
    ['a sleep', [{ op: 'Sleep', name: 'nap', sleepMs: hour }], { kind: 'sleep', step: 'nap', until: hour }],
    [
      'an event until its timeout',
      [{ op: 'WaitForEvent', name: 'paid', eventName: 'paid', timeoutMs: hour }],
      { kind: 'event', step: 'paid', until: hour },
    ],
    [
      'an event without end',
      [{ op: 'WaitForEvent', name: 'paid', eventName: 'paid' }],
      { kind: 'event', step: 'paid' },
    ],
    [
      'the first of several branches to go on',
      [
        { op: 'Sleep', name: 'long', sleepMs: 2 * hour },
        { op: 'WaitForEvent', name: 'paid', eventName: 'paid' },
        { op: 'Sleep', name: 'short', sleepMs: hour },
      ],
      { kind: 'sleep', step: 'short', until: hour },
    ],
    [
      'a decision before all timers',
      [
        { op: 'Sleep', name: 'nap', sleepMs: 1_000 },
        { op: 'Approval', name: 'sign', tool: 'refund', data: {}, timeoutMs: hour },
      ],
      { kind: 'approval', step: 'sign', until: hour },
    ],
  ] as const)('%s', async (_, opcodes, { until, ...expected }: { kind: string; step: string; until?: number }) => {
    const { runId, last } = await parked(() => steps(opcodes.map((each) => ({ ...each }))));
    const end = until === undefined ? undefined : inMs(until);
    expect(await waitOf(runId)).toEqual({ ...expected, until: end, error: undefined });
    const inFrame = expected.kind === 'approval' || !end ? expected : { ...expected, until: end.toISOString() };
    expect((await last())?.waitingFor).toEqual(inFrame);
  });

  it('the retry of a step, with its error', async () => {
    const error = { name: 'TypeError', message: 'no', stack: 'at x' };
    const { runId, last } = await parked(() => steps([{ op: 'StepRun', name: 'charge', error }]), twice);
    const failed = { kind: 'retry', step: 'charge', error: { name: 'TypeError', message: 'no' } };
    const { until, ...rest } = (await waitOf(runId)) ?? {};
    expect(rest).toEqual(failed);
    expect((await last())?.waitingFor).toEqual({ ...failed, until: until?.toISOString() });
    const [row] = await test.db.prisma.runWork.findMany({ where: { runId } });
    expect(until).toEqual(row?.dueAt);
  });

  it('the retry of its handler, with its error', async () => {
    const { runId } = await parked(() => thrown({ name: 'RangeError', message: 'a\0b'.repeat(1_000) }), twice);
    const wait = await waitOf(runId);
    expect(wait).toMatchObject({ kind: 'retry', step: undefined, error: { name: 'RangeError' } });
    expect(wait?.error?.message).toHaveLength(1_000);
    expect(wait?.until?.getTime()).toBeGreaterThanOrEqual(inMs(60_000).getTime());
  });

  it('a runner that did not answer, with the reason, before an open decision', async () => {
    const reason = 'the runner could not be reached (ECONNREFUSED)';
    const lost: Reply = { kind: 'transport', reason, socketLost: false };
    const { runId, last, run } = await parked((request) => {
      if (memoOf(request, 'sign')) return lost;
      return steps([
        { op: 'StepRun', name: 'a', data: 1 },
        { op: 'Approval', name: 'sign', tool: 'refund', data: {} },
      ]);
    });
    expect((await run(runId)).status).toBe('needs_attention');
    const wait = await waitOf(runId);
    expect(wait).toMatchObject({ kind: 'transport', error: { message: reason } });
    expect((await last())?.waitingFor).toEqual({
      kind: 'transport',
      error: { message: reason },
      until: wait?.until?.toISOString(),
    });
  });

  it('a runner whose address no reader learns', async () => {
    const reason = 'connect ECONNREFUSED 10.1.2.3:8080 at https://me:pw@inner.example:8443/invoke?token=1';
    const { runId, frames } = await parked(() => ({ kind: 'transport', reason, socketLost: false }));
    expect((await waitOf(runId))?.error).toEqual({ message: 'connect ECONNREFUSED (address) at (address)' });
    expect(JSON.stringify(await frames(runId))).not.toMatch(/10\.1|inner|token/);
  });

  it('a runner whose answer cannot be read', async () => {
    const { runId } = await parked(() => ({ kind: 'answer', status: 502, body: '', elapsedMs: 1 }));
    expect(await waitOf(runId)).toMatchObject({
      kind: 'transport',
      error: { message: 'runner answered with status 502' },
    });
  });

  it('its child', async () => {
    const { runId } = await parked(({ event }) => {
      if (JSON.stringify(event.data) === '"child"') return steps([{ op: 'Sleep', name: 'nap', sleepMs: hour }]);
      return steps([{ op: 'RunWorkflow', name: 'call', childName: 'flow', childData: 'child' }]);
    });
    expect(await waitOf(runId)).toEqual({ kind: 'child', step: 'call', until: undefined, error: undefined });
  });
});

describe('a wait', () => {
  it('is kept over a pause, during which the run shows none', async () => {
    const { runId, projectId, last } = await parked(() => steps([{ op: 'Sleep', name: 'nap', sleepMs: hour }]));
    const before = await waitOf(runId);
    await pauseRun(test.engine, { projectId, runId, actor: 'test' });
    expect(await waitOf(runId)).toBeUndefined();
    await resumeRun(test.engine, { projectId, runId, actor: 'test' });
    expect(await waitOf(runId)).toEqual(before);
    expect((await last())?.waitingFor).toEqual({ kind: 'sleep', step: 'nap', until: before?.until?.toISOString() });
  });

  it('ends with the decision', async () => {
    const { runId, projectId } = await parked(() =>
      steps([{ op: 'Approval', name: 'sign', tool: 'refund', data: {} }]),
    );
    const approval = await test.db.prisma.approval.findFirstOrThrow({ where: { runId } });
    const decider = { decidedBy: 'me', decidedVia: 'api' } as const;
    const decision = { status: 'approved', args: undefined, decider, actor: 'me' } as const;
    await decideApproval(test.engine, { projectId, approvalId: approval.id, ...decision });
    expect(await waitOf(runId)).toEqual({ kind: 'runner' });
  });

  it('of a run that the former version parked is told from its steps', async () => {
    const { runId } = await parked(() =>
      steps([
        { op: 'WaitForEvent', name: 'paid', eventName: 'paid' },
        { op: 'Sleep', name: 'nap', sleepMs: hour },
      ]),
    );
    await test.engine.db.query('update run_work set waiting_for = null, waiting_claim_no = null where run_id = $1', [
      runId,
    ]);
    expect(await waitOf(runId)).toEqual({ kind: 'sleep', step: 'nap', until: inMs(hour), error: undefined });
  });

  it('for a runner lasts until one takes the run, and ends in failure', async () => {
    const scene = await openScene(test, () => complete(1));
    const runId = await scene.start();
    expect(await waitOf(runId)).toEqual({ kind: 'runner' });
    await test.engine.db.query('update runner set connected = false where project_id = $1', [scene.projectId]);
    await scene.dispatcher.lookAfterStranded();
    const until = inMs(test.engine.settings.noRunnerWaitMs);
    expect(await waitOf(runId)).toEqual({ kind: 'runner', until });
    expect((await scene.frames(runId)).at(-1)).toMatchObject({
      status: 'waiting',
      waitingFor: { kind: 'runner', until: until.toISOString() },
    });
  });

  it('is none while the run executes, and once it has ended', async () => {
    const scene = await openScene(test, () => complete(1));
    const runId = await scene.start();
    const [pass] = await scene.dispatcher.claim();
    expect(await waitOf(runId)).toBeUndefined();
    if (pass) await scene.dispatcher.drive(pass);
    expect(await waitOf(runId)).toBeUndefined();
  });

  it('for a free slot is one for `slot`', async () => {
    const scene = await openScene(test, () => complete(1), { name: 'flow', concurrency: { limit: 1 } });
    const [first, second] = [await scene.start(), await scene.start()];
    const [pass] = await scene.dispatcher.claim();
    const other = pass?.runId === first ? second : first;
    expect(await waitOf(other)).toEqual({ kind: 'slot' });
    if (pass) await scene.dispatcher.drive(pass);
  });

  it('for its start time is one for `start`', async () => {
    const scene = await openScene(test, () => complete(1), { name: 'flow', throttle: { limit: 1, perMs: hour } });
    await scene.start();
    const later = await scene.start();
    expect(await waitOf(later)).toEqual({ kind: 'start', until: (await scene.run(later)).startAt });
  });
});
