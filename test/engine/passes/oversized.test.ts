import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { claimPasses } from '../../../src/engine/passes/index.ts';
import { defaultEngineSettings } from '../../../src/engine/settings.ts';
import { createTestEngine, type TestEngine } from '../../support/engine.ts';
import { scenario } from '../../support/scenario.ts';
import { memoOf, steps } from '../../support/scriptedRunner.ts';

let test: TestEngine;
beforeAll(async () => {
  const limits = { ...defaultEngineSettings.limits, memoMaxBytes: 200 };
  test = await createTestEngine({ settings: { limits } });
});
afterAll(() => test.close());

describe('a run whose memo is larger than may be sent once it is claimed', () => {
  it('fails, and its failure handler runs', async () => {
    const world = await scenario(
      test,
      (request) => steps(memoOf(request, 'e') ? [] : [{ op: 'WaitForEvent', name: 'e', eventName: 'e' }]),
      { name: 'flow', onFailure: true },
    );
    const runId = await world.start();
    await world.dispatcher.runOnce();
    const data = RawJson.of('x'.repeat(300));
    await sendEvent(test.engine, { projectId: world.projectId, input: { name: 'e', data } });
    const { laneId } = await test.db.prisma.runWork.findUniqueOrThrow({ where: { runId } });
    const claim = { dispatcherId: world.dispatcher.id, demands: [{ laneId, limit: 1 }] };
    expect(await claimPasses(test.engine, claim)).toEqual([]);
    expect(await world.run(runId)).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('MEMO_MAX_BYTES') },
    });
    await vi.waitFor(async () =>
      expect(await test.db.prisma.run.findMany({ where: { onFailureOf: runId } })).toHaveLength(1),
    );
  });
});
