import { describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { decideApproval } from '../../../src/engine/approvals/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { drawConsequences } from '../../../src/engine/consequences/index.ts';
import { pauseRun, resumeRun } from '../../../src/engine/control/index.ts';
import { runDoctor } from '../../../src/engine/doctor/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { type Reply, settlePass } from '../../../src/engine/passes/index.ts';
import { wakeDueRuns } from '../../../src/engine/work/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { complete, idOf, ScriptedDispatcher, steps, thrown } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const clock = new ManualClock();

const test = useEngine({ clock });

const actor = 'test';
const silence: Reply = { kind: 'transport', reason: 'refused', socketLost: false };

type Parked = Parameters<typeof steps>[0][number];

/** A run that parked `open` beside a step, and whose next pass came to `failed`. */
async function fail(open: Parked, failed: Reply = thrown({ message: 'away' }), beside: Parked[] = []) {
  const { engine, db } = test;
  const projectId = await createTestProject(engine);
  const retry = { maxAttempts: 3, backoff: 'fixed', initialDelayMs: 60_000 } as const;
  await registerWorkflows(engine, projectId, [{ name: 'flow', retry }, { name: 'child' }]);
  const dispatcher = await new ScriptedDispatcher(engine, ({ ctx }) => complete(ctx.attempt)).start();
  const { runId = '' } = await triggerWorkflow(engine, { projectId, app: 'default', name: 'flow', input: {} });
  const pass = (await dispatcher.claim()).find((each) => each.runId === runId);
  if (!pass) throw new Error('nothing was claimed');
  expect(await settlePass(engine, pass, steps([open, ...beside, { op: 'StepRun', name: 'a', data: 1 }]))).toBe('again');
  const read = {
    /** Whether the run can be executed now. */
    isReady: async () => {
      await wakeDueRuns(engine);
      return (await db.prisma.runWork.findUniqueOrThrow({ where: { runId } })).state === 'ready';
    },
    step: () => db.prisma.runStep.findFirstOrThrow({ where: { runId, name: open.name ?? '' } }),
    end: async () => {
      await dispatcher.runOnce();
      return db.prisma.run.findUniqueOrThrow({ where: { id: runId } });
    },
  };
  const settle = () => settlePass(engine, pass, failed);
  const send = () => sendEvent(engine, { projectId, input: { name: 'go' } });
  const decide = async () => {
    const { id: approvalId } = await db.prisma.approval.findFirstOrThrow({ where: { runId } });
    const decider = { decidedBy: 'test', decidedVia: 'api' } as const;
    await decideApproval(engine, { projectId, approvalId, status: 'approved', args: undefined, decider, actor });
  };
  return { projectId, runId, dispatcher, settle, send, decide, ...read };
}

const violations = async () => (await runDoctor(test.engine)).checks.flatMap((each) => each.violations);
const untilRetry = (): void => clock.advance(67_000);

describe('the delay before a pass is sent again is kept', () => {
  const nap = { op: 'Sleep', name: 'nap', sleepMs: 2_000 } as const;
  const wait = { op: 'WaitForEvent', name: 'go', eventName: 'go' } as const;
  const sign = { op: 'Approval', name: 'sign', tool: 'refund' } as const;

  it('if a sleep ends meanwhile, which the next attempt sees', async () => {
    const { settle, isReady, step, end, dispatcher } = await fail(nap);
    expect(await settle()).toBe('released');
    clock.advance(59_000);
    expect(await isReady()).toBe(false);
    expect(await step()).toMatchObject({ status: 'succeeded', runAfter: null });
    expect(await violations()).toEqual([]);
    untilRetry();
    expect(await end()).toMatchObject({ status: 'succeeded', result: 2 });
    expect(dispatcher.requests.at(-1)?.steps[idOf('nap')]).toEqual({ data: null });
  });

  it('if a sleep had ended before the handler failed', async () => {
    const { settle, isReady } = await fail(nap);
    clock.advance(5_000);
    expect(await settle()).toBe('released');
    expect(await isReady()).toBe(false);
    untilRetry();
    expect(await isReady()).toBe(true);
  });

  it('if an event arrives meanwhile, which ends its wait', async () => {
    const { settle, send, isReady, step, end } = await fail(wait);
    await settle();
    expect(await send()).toMatchObject({ woke: 1 });
    expect(await step()).toMatchObject({ status: 'succeeded' });
    expect(await isReady()).toBe(false);
    untilRetry();
    expect(await end()).toMatchObject({ status: 'succeeded', result: 2 });
  });

  it('if a sleep ends and a later event loses the race', async () => {
    const { settle, send, isReady, end, dispatcher } = await fail(wait, undefined, [nap]);
    await settle();
    clock.advance(10_000);
    expect(await isReady()).toBe(false);
    clock.advance(10_000);
    expect(await send()).toMatchObject({ woke: 1 });
    untilRetry();
    expect(await end()).toMatchObject({ status: 'succeeded', result: 2 });
    const told = Object.keys(dispatcher.requests.at(-1)?.steps ?? {});
    expect(told).toEqual([idOf('a'), idOf('nap'), idOf('go')]);
  });

  it('if the event arrived while the handler was failing', async () => {
    const { settle, send, isReady, end } = await fail(wait);
    await send();
    expect(await settle()).toBe('released');
    expect(await isReady()).toBe(false);
    untilRetry();
    expect(await end()).toMatchObject({ status: 'succeeded', result: 2 });
  });

  it('if the run is paused and resumed meanwhile', async () => {
    const { projectId, runId, settle, send, isReady, end } = await fail(wait);
    await settle();
    await pauseRun(test.engine, { projectId, runId, actor });
    await send();
    await resumeRun(test.engine, { projectId, runId, actor });
    expect(await isReady()).toBe(false);
    expect(await violations()).toEqual([]);
    untilRetry();
    expect(await end()).toMatchObject({ status: 'succeeded', result: 2 });
  });

  it('if a child run ends meanwhile', async () => {
    const { settle, dispatcher, step, isReady } = await fail({ op: 'RunWorkflow', name: 'call', childName: 'child' });
    await settle();
    await dispatcher.runOnce();
    const { childRunId } = await step();
    await drawConsequences(test.engine, [childRunId ?? '']);
    expect(await step()).toMatchObject({ status: 'succeeded' });
    expect(await isReady()).toBe(false);
    untilRetry();
    expect(await isReady()).toBe(true);
  });

  it('if no runner answered, so that an arriving event uses up no attempt', async () => {
    const { settle, send, isReady, end } = await fail(wait, silence);
    await settle();
    await send();
    expect(await isReady()).toBe(false);
    clock.advance(600);
    expect(await end()).toMatchObject({ status: 'succeeded', result: 1 });
  });

  it('except for a decision: the run continues at once', async () => {
    const { settle, isReady, decide } = await fail(sign);
    await settle();
    await decide();
    expect(await isReady()).toBe(true);
  });

  it('except for a decision that was made while the handler was failing', async () => {
    const { settle, decide } = await fail(sign);
    await decide();
    expect(await settle()).toBe('again');
  });
});
