import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { afterEach, expect } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { endRuns } from '../../../src/engine/consequences/index.ts';
import { type ControlCall, pauseRun, resumeRun } from '../../../src/engine/control/index.ts';
import { runDoctor } from '../../../src/engine/doctor/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import type { Pass } from '../../../src/engine/passes/index.ts';
import { wakeDueRuns } from '../../../src/engine/work/index.ts';
import { createTestProject, type TestEngine } from '../../support/engine.ts';
import { memoOf, type Script, ScriptedDispatcher } from '../../support/scriptedRunner.ts';
import { settleAll } from '../../support/settleAll.ts';
import { registerWorkflows } from '../../support/workflows.ts';

/** The outcome of a settled step in the memo. Undefined for a pending or unknown step. */
export function dataOf(request: InvokeRequest, name: string): unknown {
  const memo = memoOf(request, name);
  return memo && 'data' in memo ? memo.data : undefined;
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Opens scenes; after each test the one opened last finishes. */
export function useScenes(test: TestEngine): (handlers: Record<string, Script>) => Promise<Scene> {
  let current: Scene | undefined;
  afterEach(() => current?.finish());
  return async (handlers) => {
    current = await openScene(test, handlers);
    return current;
  };
}

/** A project whose workflows answer by name. */
export async function openScene({ engine, db }: TestEngine, handlers: Record<string, Script>) {
  const projectId = await createTestProject(engine);
  const workflows = Object.keys(handlers).map((name) => ({ name }));
  await registerWorkflows(engine, projectId, workflows);
  const script: Script = (request) => {
    const handler = handlers[request.ctx.workflow];
    if (!handler) throw new Error(`nobody handles ${request.ctx.workflow}`);
    return handler(request);
  };
  const dispatcher = await new ScriptedDispatcher(engine, script).start();
  const call = (runId: string): ControlCall => ({ projectId, runId, actor: 'ops key' });
  return {
    projectId,
    dispatcher,
    call,
    pause: (runId: string) => pauseRun(engine, call(runId)),
    resume: (runId: string) => resumeRun(engine, call(runId)),
    async start(name: string, input: object = {}): Promise<string> {
      const { input: data = {}, ...rest } = input as { input?: unknown };
      const trigger = { projectId, app: 'default', name, input: { ...rest, input: RawJson.of(data) } };
      return (await triggerWorkflow(engine, trigger)).runId ?? '';
    },
    async claimOne(runId: string): Promise<Pass> {
      const pass = (await dispatcher.claim()).find((each) => each.runId === runId);
      if (!pass) throw new Error('it could not be claimed');
      return pass;
    },
    /** Executes until nothing moves any more, consequences included. */
    settle: () => settleAll(engine, dispatcher),
    /** Wakes due runs without executing them. */
    wake: () => wakeDueRuns(engine),
    run: (id: string) => db.prisma.run.findUniqueOrThrow({ where: { id } }),
    work: (runId: string) => db.prisma.runWork.findUnique({ where: { runId } }),
    steps: (runId: string) =>
      db.prisma.runStep.findMany({ where: { runId }, orderBy: [{ index: 'asc' }, { attempt: 'asc' }] }),
    async statuses(runId: string): Promise<unknown[]> {
      const frames = await db.prisma.runFrame.findMany({
        where: { runId, kind: 'run_status' },
        orderBy: { seq: 'asc' },
      });
      return frames.map(({ payload }) => (payload as { status: string }).status);
    },
    /** The journal, as one word for each frame. */
    async frames(runId: string): Promise<[kind: string, status: unknown][]> {
      const frames = await db.prisma.runFrame.findMany({ where: { runId }, orderBy: { seq: 'asc' } });
      return frames.map(({ kind, payload }) => [kind, (payload as { status?: string }).status]);
    },
    /** The frames of cancelled steps. */
    async cancelledSteps(runId: string): Promise<unknown[]> {
      const frames = await db.prisma.runFrame.findMany({
        where: { runId, kind: 'step_status' },
        orderBy: { seq: 'asc' },
      });
      return frames.flatMap(({ payload }) => ((payload as { status: string }).status === 'cancelled' ? [payload] : []));
    },
    audit: () => db.prisma.controlAction.findMany({ where: { projectId }, orderBy: { id: 'asc' } }),
    /** The doctor finds no violation. Leaves no run for the next test to claim. */
    async finish(): Promise<void> {
      expect((await runDoctor(engine)).checks.flatMap((each) => each.violations)).toEqual([]);
      const open = await db.prisma.runWork.findMany({ select: { runId: true } });
      const ends = open.map(({ runId }) => ({ runId, error: undefined }));
      await endRuns(engine, {
        status: 'cancelled',
        ends,
        projectId: null,
        onlyStranded: false,
        reason: 'the test is over',
      });
    },
  };
}
