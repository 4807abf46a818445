import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { decideApproval } from '../../../../../src/engine/approvals/index.ts';
import { ManualClock } from '../../../../../src/engine/clock.ts';
import { drawConsequences, endRuns } from '../../../../../src/engine/consequences/index.ts';
import { pauseRun, resumeRun } from '../../../../../src/engine/control/index.ts';
import { runDoctor } from '../../../../../src/engine/doctor/index.ts';
import { sendEvent } from '../../../../../src/engine/events/index.ts';
import { type Reply, settlePass } from '../../../../../src/engine/passes/index.ts';
import { releaseRuns, wakeDueRuns } from '../../../../../src/engine/work/index.ts';
import { useEngine } from '../../../../support/engine.ts';
import { openScene } from '../../../../support/scene.ts';
import { complete, steps, thrown } from '../../../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../../../support/workflows.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

const shiftMs = 60_000;
const retry = { maxAttempts: 2, backoff: 'fixed', initialDelayMs: 1_000 } as const;
const flow = { name: 'flow', priority: { shiftMs }, retry };

/**
 * A run whose first pass got these answers. `isUnshifted` tells whether its queue position is that
 * of a run without a shift.
 */
async function parked(...answers: Reply[]) {
  const { engine, db } = test;
  const script = ({ ctx }: InvokeRequest) => complete(ctx.workflow);
  const { projectId, dispatcher, start } = await openScene(test, script, flow);
  await registerWorkflows(engine, projectId, [flow, { name: 'child' }], { runner: 'another' });
  const runId = await start();
  const pass = (await dispatcher.claim()).find((each) => each.runId === runId);
  if (!pass) throw new Error('nothing was claimed');
  for (const reply of answers) await settlePass(engine, pass, reply);
  clock.advance(5_000);
  return {
    ...{ projectId, runId, dispatcher },
    call: { projectId, runId, actor: 'ops' },
    /** How much earlier than now the run counts as enqueued. */
    async shift(): Promise<number> {
      const work = await db.prisma.runWork.findUniqueOrThrow({ where: { runId } });
      expect(work.state).toBe('ready');
      return clock.now().getTime() - Number(work.position) / 1000;
    },
    async finish(): Promise<void> {
      expect((await runDoctor(engine)).checks.flatMap((each) => each.violations)).toEqual([]);
      const ends = [{ runId, error: undefined }];
      await endRuns(engine, { status: 'cancelled', ends, projectId, onlyStranded: false, reason: 'the test is over' });
    },
  };
}

const waits = steps([{ op: 'WaitForEvent', name: 'go', eventName: 'go', timeoutMs: 4_000 }]);
const signs = steps([{ op: 'Approval', name: 'sign', tool: 'refund' }]);
const silence: Reply = { kind: 'transport', reason: 'refused', socketLost: false };

describe('a run counts as enqueued shiftMs earlier whenever it becomes ready', () => {
  it('after a sleep', async () => {
    const run = await parked(steps([{ op: 'Sleep', name: 'nap', sleepMs: 4_000 }]));
    await wakeDueRuns(test.engine);
    expect(await run.shift()).toBe(shiftMs);
    await run.finish();
  });

  it('after a wait that timed out', async () => {
    const run = await parked(waits);
    await wakeDueRuns(test.engine);
    expect(await run.shift()).toBe(shiftMs);
    await run.finish();
  });

  it('after an event', async () => {
    const run = await parked(steps([{ op: 'WaitForEvent', name: 'go', eventName: 'go' }]));
    await sendEvent(test.engine, { projectId: run.projectId, input: { name: 'go' } });
    expect(await run.shift()).toBe(shiftMs);
    await run.finish();
  });

  it('after a child', async () => {
    const run = await parked(steps([{ op: 'RunWorkflow', name: 'call', childName: 'child' }]));
    await run.dispatcher.drive((await run.dispatcher.claim())[0] ?? expect.fail('no child was claimed'));
    const children = await test.db.prisma.run.findMany({ where: { parentRunId: run.runId } });
    await drawConsequences(
      test.engine,
      children.map(({ id }) => id),
    );
    expect(await run.shift()).toBe(shiftMs);
    await run.finish();
  });

  it('after a decision', async () => {
    const run = await parked(signs);
    const { id: approvalId } = await test.db.prisma.approval.findFirstOrThrow({ where: { runId: run.runId } });
    const decider = { decidedBy: 'test', decidedVia: 'api' } as const;
    const decision = { status: 'approved', args: undefined, decider, actor: 'test' } as const;
    await decideApproval(test.engine, { projectId: run.projectId, approvalId, ...decision });
    expect(await run.shift()).toBe(shiftMs);
    await run.finish();
  });

  it('after a pause', async () => {
    const run = await parked();
    await pauseRun(test.engine, run.call);
    await releaseRuns(test.engine, run.dispatcher.id, [run.runId]);
    await resumeRun(test.engine, run.call);
    expect(await run.shift()).toBe(shiftMs);
    await run.finish();
  });
});

describe('a run counts as enqueued when it comes due', () => {
  it('after the back-off of a step', async () => {
    const failed = { op: 'StepRun', name: 'a', error: { message: 'away' } };
    const run = await parked(steps([failed] as Parameters<typeof steps>[0]));
    await wakeDueRuns(test.engine);
    expect(await run.shift()).toBe(0);
    await run.finish();
  });

  it.each([
    ['as its handler is retried', thrown({ message: 'away' })],
    ['as its pass is sent again', silence],
  ])('%s', async (_, failed) => {
    const run = await parked(failed);
    await wakeDueRuns(test.engine);
    expect(await run.shift()).toBe(0);
    await run.finish();
  });
});

it('a released run keeps its queue position', async () => {
  const run = await parked();
  await releaseRuns(test.engine, run.dispatcher.id, [run.runId]);
  expect(await run.shift()).toBe(shiftMs + 5_000);
  await run.finish();
});
