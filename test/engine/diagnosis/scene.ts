import type { WireWorkflow } from '@holdfast/sdk/protocol';
import type { ManualClock } from '../../../src/engine/clock.ts';
import { diagnoseRuns, readWaiting } from '../../../src/engine/diagnosis/index.ts';
import { tickDispatcher } from '../../../src/engine/dispatchers/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import type { RawJson } from '../../../src/engine/json/index.ts';
import { selectRunRows } from '../../../src/engine/runs/index.ts';
import type { TestEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { complete, type Script } from '../../support/scriptedRunner.ts';
import { settleAll } from '../../support/settleAll.ts';
import { registerWorkflows } from '../../support/workflows.ts';

export const hour = 3_600_000;

/** A scene that asks why a run waits, and under whose clock its dispatcher keeps beating. */
export async function openWaitScene(
  test: TestEngine,
  clock: ManualClock,
  script: Script = () => complete('done'),
  workflow: WireWorkflow = { name: 'flow' },
) {
  // Those of former tests have stopped.
  await test.engine.db.query(
    'truncate inference_call, inference_key, inference_lane, inference_send, inference_process',
  );
  await test.engine.db.query('delete from dispatcher');
  const scene = await openScene(test, script, workflow);
  const { projectId, dispatcher } = scene;
  return {
    ...scene,
    causes: async (runId: string) => (await readWaiting(test.engine, { projectId, runIds: [runId] })).get(runId) ?? [],
    async diagnosis(runId: string) {
      const runs = await selectRunRows(test.engine.db, { projectId, ids: [runId] });
      const diagnosis = (await diagnoseRuns(test.engine, { projectId, runs })).get(runId);
      if (!diagnosis) throw new Error('the run is not known');
      return diagnosis;
    },
    register: (workflows: WireWorkflow[]) => registerWorkflows(test.engine, projectId, workflows),
    /** Moves the clock. The dispatcher has beaten, and runners were seen. */
    async pass(ms: number): Promise<void> {
      clock.advance(ms);
      await tickDispatcher(test.engine, dispatcher.id);
      await test.engine.db.query('update runner set last_seen_at = $1 where project_id = $2', [clock.now(), projectId]);
    },
    send: (name: string, data: RawJson) => sendEvent(test.engine, { projectId, input: { name, data } }),
    settle: () => settleAll(test.engine, dispatcher),
    status: async (runId: string) => (await scene.run(runId)).status,
  };
}
