import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { cancelRun } from '../../../src/engine/control/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { memoOf, type Script, steps, thrown } from '../../support/scriptedRunner.ts';
import { createScene, dataOf } from './scene.ts';

let scene: Awaited<ReturnType<typeof createScene>>;
let current: Awaited<ReturnType<typeof scene.scenario>> | undefined;

beforeAll(async () => {
  scene = await createScene();
});
afterEach(() => current?.finish());
afterAll(() => scene.test.close());

/** Sleeps beside a wait, and fails for good once that is over. */
const branches: Script = (request) => {
  if (!memoOf(request, 'nap'))
    return steps([
      { op: 'Sleep', name: 'nap', sleepMs: 60_000 },
      { op: 'WaitForEvent', name: 'go', eventName: 'go', timeoutMs: 90_000 },
    ]);
  return dataOf(request, 'go') === undefined ? steps([]) : thrown({ message: 'no' });
};

const tookMs = ({ startedAt, endedAt }: { startedAt: Date; endedAt: Date | null }): number =>
  Number(endedAt) - Number(startedAt);

async function parked() {
  current = await scene.scenario({ flow: branches });
  const { start, settle } = current;
  const runId = await start('flow');
  await settle();
  scene.clock.advance(1_500);
  return { ...current, runId };
}

it('a step that ends with its cancelled run tells the journal how long it took, as its row does', async () => {
  const { projectId, runId, cancelledSteps, steps: rows } = await parked();
  await cancelRun(scene.test.engine, { projectId, runId, actor: 'ops key' });
  const cancelled = { attempt: 1, status: 'cancelled', durationMs: 1_500 };
  expect(await cancelledSteps(runId)).toEqual([
    { step: 'nap', index: 0, ...cancelled },
    { step: 'go', index: 1, ...cancelled },
  ]);
  expect((await rows(runId)).map(tookMs)).toEqual([1_500, 1_500]);
});

it('so does a step that ends with a branch beside it that failed', async () => {
  const { projectId, runId, settle, cancelledSteps, steps: rows } = await parked();
  await sendEvent(scene.test.engine, { projectId, input: { name: 'go', data: RawJson.of({}) } });
  await settle();
  expect(await cancelledSteps(runId)).toEqual([
    { step: 'nap', index: 0, attempt: 1, status: 'cancelled', durationMs: 1_500 },
  ]);
  expect((await rows(runId)).map(tookMs)).toEqual([1_500, 1_500]);
});
