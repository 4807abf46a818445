import type { AiUsage, FlowControl } from '@holdfast/sdk/protocol';
import { triggerWorkflow } from '../../../../../src/engine/admission/index.ts';
import type { ManualClock } from '../../../../../src/engine/clock.ts';
import type { EngineContext } from '../../../../../src/engine/context.ts';
import { pauseRun, replayRun, resumeRun } from '../../../../../src/engine/control/index.ts';
import { checkBudgets } from '../../../../../src/engine/flow/policies/index.ts';
import { RawJson } from '../../../../../src/engine/json/index.ts';
import { createTestProject, type TestEngine } from '../../../../support/engine.ts';
import { complete, memoOf, ScriptedDispatcher, steps } from '../../../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../../../support/workflows.ts';
import { call } from '../../../ai/scene.ts';

/** The actions of a run, step by step: it spends, sleeps, or waits for an event of that name. */
export type Command = { usage: AiUsage } | { sleepMs: number } | { event: string };

export const spend = (tokensIn: number, cost?: number): Command => ({
  usage: { tokensIn, ...(cost !== undefined && { cost }) },
});

/** A workflow named `flow` with a budget, whose runs do as their input says. */
export async function openScene(
  { engine, db }: TestEngine,
  policy: FlowControl,
  { clock }: { clock?: ManualClock } = {},
) {
  const projectId = await createTestProject(engine);
  const register = (change: FlowControl) => registerWorkflows(engine, projectId, [{ name: 'flow', ...change }]);
  await register(policy);
  const dispatcher = await new ScriptedDispatcher(engine, (request) => {
    const commands = request.event.data as Command[];
    for (const [index, command] of commands.entries()) {
      const name = `step ${index}`;
      const memo = memoOf(request, name);
      if (memo && 'pending' in memo) return steps([]);
      if (memo) continue;
      if ('usage' in command) return steps([call(name, command.usage)]);
      if ('event' in command) return steps([{ op: 'WaitForEvent', name, eventName: command.event }]);
      return steps([{ op: 'Sleep', name, ...command }]);
    }
    return complete('done');
  }).start();
  const target = (runId: string) => ({ projectId, runId, actor: 'a person' });
  return {
    projectId,
    dispatcher,
    register,
    async start(...commands: Command[]): Promise<string> {
      const trigger = { projectId, app: 'default', name: 'flow', input: { input: RawJson.of(commands) } };
      return (await triggerWorkflow(engine, trigger)).runId ?? '';
    },
    /** A run that has done all of this. */
    async after(...commands: Command[]): Promise<string> {
      const runId = await this.start(...commands);
      await dispatcher.runOnce();
      return runId;
    },
    pause: (runId: string) => pauseRun(engine, target(runId)),
    resume: (runId: string) => resumeRun(engine, target(runId)),
    replay: (runId: string) => replayRun(engine, target(runId)),
    check: (by: EngineContext = engine) => checkBudgets(by),
    /** Advances the clock; the runner stays alive. */
    async pass(ms: number): Promise<void> {
      clock?.advance(ms);
      await db.query('update runner set last_seen_at = $1', [engine.clock.now()]);
      engine.registry.invalidate(projectId);
    },
    read: (id: string) => db.prisma.run.findUniqueOrThrow({ where: { id } }),
    work: (runId: string) => db.prisma.runWork.findUnique({ where: { runId } }),
    /** The status of a run, and why it is paused. */
    async state(id: string): Promise<[string, string | null]> {
      const { status, pausedReason } = await this.read(id);
      return [status, pausedReason];
    },
    frames: (runId: string, kind: string) =>
      db.prisma.runFrame.findMany({ where: { runId, kind }, orderBy: { seq: 'asc' } }),
  };
}
