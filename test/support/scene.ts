import type { WireWorkflow } from '@holdfast/sdk/protocol';
import { triggerWorkflow } from '../../src/engine/admission/index.ts';
import { RawJson } from '../../src/engine/json/index.ts';
import { createTestProject, type TestEngine } from './engine.ts';
import { readFrames } from './frames.ts';
import { type Script, ScriptedDispatcher } from './scriptedRunner.ts';
import { registerWorkflows } from './workflows.ts';

/** A project with one workflow, and a runner that answers by the script. */
export async function openScene(test: TestEngine, script: Script, workflow: WireWorkflow = { name: 'flow' }) {
  const projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [workflow]);
  const dispatcher = await new ScriptedDispatcher(test.engine, script).start();
  const start = async (input: unknown = {}) => {
    const { runId } = await triggerWorkflow(test.engine, {
      projectId,
      app: 'default',
      name: workflow.name,
      input: { input: RawJson.of(input) },
    });
    if (!runId) throw new Error('no run was started');
    return runId;
  };
  const run = (id: string) => test.db.prisma.run.findUniqueOrThrow({ where: { id } });
  const stepRows = (runId: string) =>
    test.db.prisma.runStep.findMany({ where: { runId }, orderBy: [{ index: 'asc' }, { attempt: 'asc' }] });
  const frames = async (runId: string) => {
    const all = await readFrames(test.engine, { projectId, runId });
    return all.map((frame) => ({ seq: frame.seq, kind: frame.kind, ...JSON.parse(frame.payload) }));
  };
  return { projectId, dispatcher, start, run, stepRows, frames };
}
