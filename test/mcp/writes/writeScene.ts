import { Validator } from '@cfworker/json-schema';
import { expect } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { createApiKey } from '../../../src/engine/keys/index.ts';
import { toolNamed } from '../../../src/mcp/tools/index.ts';
import { complete, memoOf, type Script, ScriptedDispatcher, steps, thrown } from '../../support/scriptedRunner.ts';
import { settleAll } from '../../support/settleAll.ts';
import { registerWorkflows } from '../../support/workflows.ts';
import { type McpCaller, type McpServer, startMcp } from '../mcpServer.ts';

export const minute = 60_000;
export const hour = 60 * minute;

/** A caller that sees every tool. */
export const all: McpCaller = { search: 'toolsets=all' };
/** A client that can show its person a form. */
export const asking: McpCaller = { ...all, capabilities: { elicitation: { form: {} } } };

const sign: Script = (request) =>
  memoOf(request, 'sign')
    ? complete(memoOf(request, 'sign'))
    : steps([
        {
          op: 'Approval',
          name: 'sign',
          tool: 'refund',
          risk: 'high',
          summary: 'Refund "Ann"\nat once',
          data: { amount: 5, big: '\u202e' },
        },
      ]);

const handlers: Readonly<Record<string, Script>> = {
  pay: sign,
  emitting: (request) =>
    memoOf(request, 'emit') ? complete('told') : steps([{ op: 'Emit', name: 'emit', eventName: 'asked', data: {} }]),
  parent: (request) =>
    memoOf(request, 'child') ? complete('done') : steps([{ op: 'RunWorkflow', name: 'child', childName: 'pay' }]),
  breaks: () => thrown({ name: 'Error', message: 'it broke' }),
  waits: (request) =>
    memoOf(request, 'pause') ? complete('rested') : steps([{ op: 'Sleep', name: 'pause', sleepMs: hour }]),
  twoSteps: (request) => {
    if (!memoOf(request, 'one')) return steps([{ op: 'StepRun', name: 'one', data: 1 }]);
    if (!memoOf(request, 'two')) return steps([{ op: 'StepRun', name: 'two', data: 2 }]);
    return complete('both');
  },
};

export type WriteScene = Awaited<ReturnType<typeof openWrites>>;

/** `/mcp` over a project whose workflows wait for decisions, fail, sleep and end. */
export async function openWrites(options: NonNullable<Parameters<typeof startMcp>[0]> = {}) {
  const clock = new ManualClock();
  // The clock moves by days, and nobody answers for the runner.
  const settings = { runnerLivenessMs: 365 * 24 * hour, ...options.settings };
  const mcp = await startMcp({ clock, ...options, settings });
  const { engine, projectId } = mcp;
  await registerWorkflows(
    engine,
    projectId,
    [
      { name: 'pay', triggers: [{ event: 'asked' }], onFailure: true },
      { name: 'collected', triggers: [{ event: 'collect' }], batch: { maxSize: 5, timeoutMs: 1_000 } },
      { name: 'emitting' },
      { name: 'parent' },
      { name: 'breaks' },
      { name: 'waits' },
      { name: 'twoSteps' },
    ],
    { app: 'shop' },
  );
  const script: Script = (request) => (handlers[request.ctx.workflow] ?? sign)(request);
  const dispatcher = await new ScriptedDispatcher(engine, script).start();
  const tool: McpServer['tool'] = async (name, given, caller) => {
    const result = await mcp.tool(name, given, { ...all, ...caller });
    if (!result.isError && result.structuredContent) {
      const outputSchema = JSON.parse(JSON.stringify(toolNamed(name)?.outputSchema));
      expect(new Validator(outputSchema, '2020-12').validate(result.structuredContent).errors).toEqual([]);
    }
    return result;
  };
  const settle = () => settleAll(engine, dispatcher);
  return {
    mcp,
    engine,
    clock,
    projectId,
    tool,
    settle,
    /** A run that a person started. */
    async start(name: string, input: object = {}): Promise<string> {
      const { runId } = await triggerWorkflow(engine, { projectId, app: 'shop', name, input });
      expect(runId).toBeDefined();
      await settle();
      return runId ?? '';
    },
    /** The open approval of a run. */
    approvalOf: async (runId: string): Promise<string> =>
      (await engine.db.prisma.approval.findFirstOrThrow({ where: { runId } })).id,
    run: (id: string) => engine.db.prisma.run.findUniqueOrThrow({ where: { id } }),
    runs: () => engine.db.prisma.run.count(),
    audit: () =>
      engine.db.prisma.controlAction.findMany({ where: { projectId }, orderBy: { id: 'asc' }, omit: { id: true } }),
    newKey: async (name = 'another key'): Promise<string> =>
      (await createApiKey(engine, { projectId, name, kind: 'secret' })).token,
    /** Answers the question of a first round as the person, and calls again. */
    async answer(
      name: string,
      given: object,
      { requestState }: { requestState: string },
      answer: object,
      caller: McpCaller = asking,
    ) {
      return mcp.tool(name, given, { ...caller, params: { requestState, inputResponses: { answer } } });
    },
    close: () => mcp.close(),
  };
}

export const data = (result: { structuredContent: Record<string, unknown> }): Record<string, never> =>
  result.structuredContent as Record<string, never>;

export const refused = (error: unknown, code?: string) => ({
  isError: true,
  structuredContent: { error, ...(code !== undefined && { code }) },
});
