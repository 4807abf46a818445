import { afterEach, describe, expect, it } from 'vitest';
import { flushDueBuffers } from '../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { pauseRun, resumeRun } from '../../../src/engine/control/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { wakeDueRuns } from '../../../src/engine/work/index.ts';
import { useEngine } from '../../support/engine.ts';
import { meet } from '../../support/meeting.ts';
import { spending } from '../ai/scene.ts';
import { type FlowScene, openFlowScene } from '../flow/flowScene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

afterEach(() => onFailPoint(undefined));

const hour = 3_600_000;

async function succeeded(project: FlowScene): Promise<number> {
  await flushDueBuffers(test.engine);
  await wakeDueRuns(test.engine);
  await project.settle();
  return (await project.runs({ status: 'succeeded' })).length;
}

describe('a start in progress while a registration removes its policy', () => {
  it.each([
    ['a batch that it opens', { batch: { maxSize: 9, timeoutMs: hour } }, 1],
    ['a debounce that it opens', { debounce: { periodMs: hour } }, 1],
    ['a throttle whose first turns it takes', { throttle: { limit: 1, perMs: hour } }, 2],
  ])('is not delayed by %s', async (_what, policy, count) => {
    const project = await openFlowScene(test, [{ name: 'w', triggers: [{ event: 'w' }], ...policy }]);
    const start = () => Promise.all(Array.from({ length: count }, () => project.send('w')));
    const second = () => project.register([{ name: 'w', triggers: [{ event: 'w' }] }]);
    await meet(test.db, { at: 'ingestIntakes:after', first: start, second });
    expect(await succeeded(project)).toBe(count);
    await project.expectHealthy();
  });

  it('is not delayed by a bucket that it has found drained', async () => {
    const bucket = { tokenThrottle: { tokens: 1, perMs: hour } };
    const project = await openFlowScene(test, [{ name: 'w', ...bucket }], spending(2));
    await project.send('w');
    await project.settle();
    await meet(test.db, {
      at: 'ingestIntakes:after',
      first: () => project.send('w'),
      second: () => project.register([{ name: 'w' }]),
    });
    expect(await succeeded(project)).toBe(2);
    await project.expectHealthy();
  });
});

describe('a delayed start that is being changed while a registration removes its policy', () => {
  const call = (project: FlowScene, runId: string) => ({ projectId: project.projectId, runId, actor: 'ops key' });
  const startOf = async (project: FlowScene) => (await project.run((await project.send('w')).runId)).id;

  it('does not wait for its former turn after it is resumed, if it was being paused', async () => {
    const project = await openFlowScene(test, [{ name: 'w', throttle: { limit: 1, perMs: hour } }]);
    await project.send('w');
    const runId = await startOf(project);
    await meet(test.db, {
      at: 'pauseRuns:after',
      first: () => pauseRun(test.engine, call(project, runId)),
      second: () => project.register([{ name: 'w' }]),
    });
    await resumeRun(test.engine, call(project, runId));
    expect(await succeeded(project)).toBe(2);
    await project.expectHealthy();
  });

  it('does not wait for a bucket that was found drained just then', async () => {
    const bucket = { tokenThrottle: { tokens: 1, perMs: hour } };
    const project = await openFlowScene(test, [{ name: 'w', ...bucket }], spending(2));
    await project.send('w');
    await project.settle();
    const runId = await startOf(project);
    await pauseRun(test.engine, call(project, runId));
    const { startAt } = await project.run(runId);
    clock.advance((startAt?.getTime() ?? 0) - clock.now().getTime());
    await test.db.query("update flow_rate set arrival_us = arrival_us + 36e9 where policy = 'tokenThrottle'");
    await meet(test.db, {
      at: 'wakeIfDue:after',
      first: () => resumeRun(test.engine, call(project, runId)),
      second: () => project.register([{ name: 'w' }]),
    });
    expect(await succeeded(project)).toBe(2);
    await project.expectHealthy();
  });
});

it('tokens spent while a registration changes the bucket are debited from the new one', async () => {
  const bucket = (tokens: number) => [{ name: 'w', tokenThrottle: { tokens, perMs: hour } }];
  const project = await openFlowScene(test, bucket(100), spending(150));
  await project.send('w');
  await project.settle();
  await project.register(bucket(100_000));
  await project.register(bucket(100));
  await project.send('w');
  clock.advance(hour / 2 + 1_000);
  await meet(test.db, {
    at: 'rescaleRates:after',
    first: () => project.register(bucket(1_000_000)),
    second: () => succeeded(project),
  });
  const late = await project.send('w');
  const { startAt } = await project.run(late.runId);
  expect(startAt).toBeNull();
  await project.expectHealthy();
});
