import { expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { cancelRun } from '../../../src/engine/control/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { useEngine } from '../../support/engine.ts';
import { memoOf, type Script, steps, thrown } from '../../support/scriptedRunner.ts';
import { dataOf, useScenes } from './scene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });
const open = useScenes(test);

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
  const scene = await open({ flow: branches });
  const { start, settle } = scene;
  const runId = await start('flow');
  await settle();
  clock.advance(1_500);
  return { ...scene, runId };
}

it('a step that ends with its cancelled run has the same duration in the journal as in its row', async () => {
  const { projectId, runId, cancelledSteps, steps: rows } = await parked();
  await cancelRun(test.engine, { projectId, runId, actor: 'ops key' });
  const cancelled = { attempt: 1, status: 'cancelled', durationMs: 1_500 };
  expect(await cancelledSteps(runId)).toEqual([
    { step: 'nap', index: 0, ...cancelled },
    { step: 'go', index: 1, ...cancelled },
  ]);
  expect((await rows(runId)).map(tookMs)).toEqual([1_500, 1_500]);
});

it('so does a step that ends because another branch failed', async () => {
  const { projectId, runId, settle, cancelledSteps, steps: rows } = await parked();
  await sendEvent(test.engine, { projectId, input: { name: 'go', data: RawJson.of({}) } });
  await settle();
  expect(await cancelledSteps(runId)).toEqual([
    { step: 'nap', index: 0, attempt: 1, status: 'cancelled', durationMs: 1_500 },
  ]);
  expect((await rows(runId)).map(tookMs)).toEqual([1_500, 1_500]);
});
