import type { WireWorkflow } from '@holdfast/sdk/protocol';
import { expect } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { replayRun } from '../../../src/engine/control/index.ts';
import { runDoctor } from '../../../src/engine/doctor/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { createTestProject, type TestEngine } from '../../support/engine.ts';
import { complete, type Script, ScriptedDispatcher } from '../../support/scriptedRunner.ts';
import { settleAll } from '../../support/settleAll.ts';
import { registerWorkflows } from '../../support/workflows.ts';

export type FlowScene = Awaited<ReturnType<typeof openFlowScene>>;

/** A project with workflows that answer by a script. */
export async function openFlowScene(
  { engine, db }: TestEngine,
  workflows: WireWorkflow[],
  script: Script = () => complete('done'),
) {
  const projectId = await createTestProject(engine);
  await registerWorkflows(engine, projectId, workflows);
  const dispatcher = await new ScriptedDispatcher(engine, script).start();
  const send = (name: string, data: unknown = {}) =>
    sendEvent(engine, { projectId, input: { name, data: RawJson.of(data) } });
  return {
    projectId,
    dispatcher,
    send,
    /**
     * Sends one event after the other, and returns the outcome of the only workflow that matches.
     */
    async outcomes(name: string, payloads: readonly unknown[]): Promise<string[]> {
      const outcomes: string[] = [];
      for (const data of payloads) outcomes.push(outcomeOf(await send(name, data)));
      return outcomes;
    },
    sendText: (name: string, data: string) =>
      sendEvent(engine, { projectId, input: { name, data: RawJson.trusted(data) } }),
    trigger: (name: string, input: unknown = {}) =>
      triggerWorkflow(engine, { projectId, app: 'default', name, input: { input: RawJson.of(input) } }),
    replay: (runId: string) => replayRun(engine, { projectId, runId, actor: 'ops key' }),
    /** Executes runs and draws consequences until no run can continue. */
    settle: () => settleAll(engine, dispatcher),
    runs: (where: { workflow?: string; status?: string } = {}) =>
      db.prisma.run.findMany({ where: { projectId, ...where }, orderBy: { id: 'asc' } }),
    run: (id: string | undefined) => db.prisma.run.findUniqueOrThrow({ where: { id: id ?? '' } }),
    record: (id: string | undefined) => db.prisma.event.findUniqueOrThrow({ where: { id: id ?? '' } }),
    register: (again: WireWorkflow[]) => registerWorkflows(engine, projectId, again),
    async expectHealthy(): Promise<void> {
      expect((await runDoctor(engine)).checks.flatMap((each) => each.violations)).toEqual([]);
    },
  };
}

export type Answer = Awaited<ReturnType<typeof sendEvent>>;

/** `run`, or the reason why there is none. */
export function outcomeOf({ triggered: [entry] }: Answer): string {
  if (entry?.runId !== undefined) return 'run';
  const { app: _, workflow: __, existingRunId: ___, ...reasons } = entry ?? { app: '', workflow: '' };
  return Object.keys(reasons).join() || 'nothing';
}
