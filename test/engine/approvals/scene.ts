import type { Opcode } from '@holdfast/sdk/protocol';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { type Decider, decideApproval } from '../../../src/engine/approvals/index.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { runDoctor } from '../../../src/engine/doctor/index.ts';
import { HoldfastError } from '../../../src/engine/errors.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { createTestProject } from '../../support/engine.ts';
import { complete, memoOf, type Script, ScriptedDispatcher, steps, thrown } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

export const ada: Decider = { decidedBy: 'ada', decidedVia: 'console' };

/** The opcode of a step named `sign`, with whatever else the test wants to say. */
export const ask = (more: object = {}): Opcode & Record<string, unknown> => ({
  op: 'Approval',
  id: '',
  name: 'sign',
  tool: 'refund',
  data: { amount: 5 },
  ...more,
});

/** A handler that asks, and answers what the decision was; it lets an error through. */
export const signed =
  (more: object = {}): Script =>
  (request) => {
    const memo = memoOf(request, 'sign');
    if (!memo) {
      const { id: _, ...opcode } = ask(more);
      return steps([opcode]);
    }
    if ('error' in memo) return thrown(memo.error);
    return 'pending' in memo ? steps([]) : complete(memo.data);
  };

/** A project with one workflow, `flow`, and what a test does with its runs. */
export async function scene(engine: EngineContext, script: Script) {
  const { db } = engine;
  const projectId = await createTestProject(engine);
  await registerWorkflows(engine, projectId, [{ name: 'flow' }]);
  const dispatcher = await new ScriptedDispatcher(engine, script).start();
  const start = async (): Promise<string> => {
    const { runId } = await triggerWorkflow(engine, { projectId, app: 'default', name: 'flow', input: {} });
    if (runId === undefined) throw new Error('nothing was started');
    return runId;
  };
  return {
    projectId,
    dispatcher,
    start,
    /** A run that waits for its approval. */
    async asked() {
      const runId = await start();
      await dispatcher.runOnce();
      return { runId, approvalId: (await db.prisma.approval.findFirstOrThrow({ where: { runId } })).id };
    },
    run: (id: string) => db.prisma.run.findUniqueOrThrow({ where: { id } }),
    approval: (id: string) => db.prisma.approval.findUniqueOrThrow({ where: { id } }),
    step: (runId: string) => db.prisma.runStep.findFirstOrThrow({ where: { runId, name: 'sign' } }),
    /** What the journal says, in order. */
    async journal(runId: string) {
      const frames = await db.prisma.runFrame.findMany({ where: { runId }, orderBy: { seq: 'asc' } });
      return frames.map(({ payload }) => payload);
    },
    /** Decides; answers `decided`, or why not. */
    decide: (
      approvalId: string,
      status: 'approved' | 'denied' = 'approved',
      { args, on = engine, decider = ada }: { args?: string; on?: EngineContext; decider?: Decider } = {},
    ): Promise<string> =>
      decideApproval(on, {
        projectId,
        approvalId,
        status,
        args: args === undefined ? undefined : RawJson.trusted(args),
        decider,
        actor: 'a key',
      }).then(() => 'decided', reasonOf),
  };
}

export function reasonOf(error: unknown): string {
  if (error instanceof HoldfastError) return error.message;
  throw error;
}

/** What the doctor finds. */
export const findings = async (engine: EngineContext) =>
  (await runDoctor(engine)).checks.flatMap(({ check, violations }) =>
    violations.map(({ message }) => `${check}: ${message}`),
  );
