import type { AiUsage, FlowControl } from '@holdfast/sdk/protocol';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { createTestProject, type TestEngine } from '../../support/engine.ts';
import { complete, memoOf, type Script, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

/** An AI step as a runner reports it. */
export const call = (name: string, usage: AiUsage, rest: { [field: string]: unknown } = {}) => ({
  op: 'StepRun' as const,
  name,
  data: name,
  usage,
  ...rest,
});

/** A script whose runs call a model once, for this many tokens. */
export const spending =
  (tokensIn: number): Script =>
  (request) =>
    memoOf(request, 'ask') ? complete('done') : steps([call('ask', { tokensIn })]);

/** A workflow named `flow`, run by a script. */
export async function openScene(test: TestEngine, script: Script, policy: FlowControl & { maxAttempts?: number } = {}) {
  const { engine, db } = test;
  const { maxAttempts = 1, ...flowControl } = policy;
  const projectId = await createTestProject(engine);
  const retry = { maxAttempts, backoff: 'fixed', initialDelayMs: 1000 } as const;
  const register = (change: FlowControl) => registerWorkflows(engine, projectId, [{ name: 'flow', retry, ...change }]);
  await register(flowControl);
  const dispatcher = await new ScriptedDispatcher(engine, script).start();
  return {
    projectId,
    dispatcher,
    register,
    async start(): Promise<string> {
      const { runId } = await triggerWorkflow(engine, { projectId, app: 'default', name: 'flow', input: {} });
      if (!runId) throw new Error('no run was started');
      return runId;
    },
    run: (runId: string) => db.prisma.run.findUniqueOrThrow({ where: { id: runId } }),
    steps: (runId: string) =>
      db.prisma.runStep.findMany({ where: { runId }, orderBy: [{ index: 'asc' }, { attempt: 'asc' }] }),
    usage: (runId: string) =>
      db.prisma.aiUsage.findMany({ where: { runId }, orderBy: [{ stepIndex: 'asc' }, { attempt: 'asc' }] }),
    /** The spend in each invoke of the run, pass by pass. */
    told: (runId: string) =>
      dispatcher.requests.filter((request) => request.ctx.runId === runId).map((request) => request.ctx.ai),
  };
}
