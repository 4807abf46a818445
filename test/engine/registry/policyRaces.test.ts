import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { flushDueBuffers } from '../../../src/engine/admission/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { wakeDueRuns } from '../../../src/engine/work/index.ts';
import { lockWaits } from '../../support/lockWaits.ts';
import { complete, memoOf, type Script, steps } from '../../support/scriptedRunner.ts';
import { createFlowScene } from '../admission/flowScene.ts';
import { call } from '../ai/scene.ts';

let scene: Awaited<ReturnType<typeof createFlowScene>>;

beforeAll(async () => {
  scene = await createFlowScene();
});
afterEach(() => onFailPoint(undefined));
afterAll(() => scene.test.close());

type Project = Awaited<ReturnType<typeof scene.project>>;

const hour = 3_600_000;

/** Does something, and something else once that has come to a statement: until both are done, or the second waits for the first. */
async function meeting(point: string, first: () => Promise<unknown>, second: () => Promise<unknown>): Promise<void> {
  let met: Promise<unknown> | undefined;
  onFailPoint(async (reached) => {
    if (reached !== point || met) return;
    let isDone = false;
    met = second().finally(() => {
      isDone = true;
    });
    await vi.waitFor(async () => expect(isDone || (await lockWaits(scene.test.db)) > 0).toBe(true), { timeout: 5_000 });
  });
  await first();
  expect(met).toBeDefined();
  await met;
}

const spending =
  (tokensIn: number): Script =>
  (request) =>
    memoOf(request, 'ask') ? complete('done') : steps([call('ask', { tokensIn })]);

async function succeeded(project: Project): Promise<number> {
  await flushDueBuffers(scene.test.engine);
  await wakeDueRuns(scene.test.engine);
  await project.settle();
  return (await project.runs({ status: 'succeeded' })).length;
}

describe('a start that is under way while a registration takes its policy away', () => {
  it.each([
    ['a batch that it opens', { batch: { maxSize: 9, timeoutMs: hour } }, 1],
    ['a debounce that it opens', { debounce: { periodMs: hour } }, 1],
    ['a throttle whose first turns it takes', { throttle: { limit: 1, perMs: hour } }, 2],
  ])('is not kept by %s', async (_what, policy, count) => {
    const project = await scene.project([{ name: 'w', triggers: [{ event: 'w' }], ...policy }]);
    const start = () => Promise.all(Array.from({ length: count }, () => project.send('w')));
    await meeting('ingestIntakes:after', start, () => project.register([{ name: 'w', triggers: [{ event: 'w' }] }]));
    expect(await succeeded(project)).toBe(count);
    await project.expectHealthy();
  });

  it('is not kept by a bucket that it has found drained', async () => {
    const bucket = { tokenThrottle: { tokens: 1, perMs: hour } };
    const project = await scene.project([{ name: 'w', ...bucket }], spending(2));
    await project.send('w');
    await project.settle();
    await meeting(
      'ingestIntakes:after',
      () => project.send('w'),
      () => project.register([{ name: 'w' }]),
    );
    expect(await succeeded(project)).toBe(2);
    await project.expectHealthy();
  });
});

it('what is spent while a registration changes the bucket is taken out of the new one', async () => {
  const bucket = (tokens: number) => [{ name: 'w', tokenThrottle: { tokens, perMs: hour } }];
  const project = await scene.project(bucket(100), spending(150));
  await project.send('w');
  await project.settle();
  await project.register(bucket(100_000));
  await project.register(bucket(100));
  await project.send('w');
  scene.clock.advance(hour / 2 + 1_000);
  await meeting(
    'rescaleRates:after',
    () => project.register(bucket(1_000_000)),
    () => succeeded(project),
  );
  const late = await project.send('w');
  const { startAt } = await project.run(late.runId);
  expect(startAt).toBeNull();
  await project.expectHealthy();
});
