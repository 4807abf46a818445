import { describe, expect, it, vi } from 'vitest';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { claimPasses } from '../../../src/engine/passes/index.ts';
import { defaultEngineSettings } from '../../../src/engine/settings.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { memoOf, steps } from '../../support/scriptedRunner.ts';

const test = useEngine({ settings: { limits: { ...defaultEngineSettings.limits, memoMaxBytes: 200 } } });

describe('a run whose memo exceeds the limit when it is claimed', () => {
  it('fails, and its failure handler runs', async () => {
    const scene = await openScene(
      test,
      (request) => steps(memoOf(request, 'e') ? [] : [{ op: 'WaitForEvent', name: 'e', eventName: 'e' }]),
      { name: 'flow', onFailure: true },
    );
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    const data = RawJson.of('x'.repeat(300));
    await sendEvent(test.engine, { projectId: scene.projectId, input: { name: 'e', data } });
    const { laneId } = await test.db.prisma.runWork.findUniqueOrThrow({ where: { runId } });
    const claim = { dispatcherId: scene.dispatcher.id, groups: [{ laneIds: [laneId], limit: 1 }] };
    expect(await claimPasses(test.engine, claim)).toMatchObject({ passes: [] });
    expect(await scene.run(runId)).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('MEMO_MAX_BYTES') },
    });
    await vi.waitFor(async () =>
      expect(await test.db.prisma.run.findMany({ where: { onFailureOf: runId } })).toHaveLength(1),
    );
  });
});
