import { expect, it } from 'vitest';
import { defaultEngineSettings } from '../../../src/engine/settings.ts';
import { Slices } from '../../../src/engine/slices.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { complete, memoOf, steps } from '../../support/scriptedRunner.ts';

const test = useEngine({ settings: { limits: { ...defaultEngineSettings.limits, opcodesPerPass: 20 } } });

it('opcodes beyond the ceiling fail the pass, `Emit` included', async () => {
  const { start, dispatcher, run, stepRows } = await openScene(test, () =>
    steps([
      { op: 'StepRun', name: 'a', data: 1 },
      ...Array.from({ length: 20 }, (_, n) => ({ op: 'Emit' as const, name: `e${n}`, eventName: 'e' })),
    ]),
  );
  const runId = await start();
  await dispatcher.runOnce();
  expect(await run(runId)).toMatchObject({
    status: 'failed',
    error: { message: 'runner answer holds 21 opcodes, the limit is 20' },
  });
  expect(await stepRows(runId)).toEqual([]);
});

it('the guards of many waits are checked in turns with others, and a bad one fails its step', async () => {
  let turns = 0;
  let nowMs = 0;
  const slices = new Slices({
    nowMs: () => (nowMs += 5),
    nextTurn: (begin) => {
      turns += 1;
      setImmediate(begin);
    },
  });
  const engine = { ...test.engine, slices };
  const guards = [...Array.from({ length: 18 }, (_, n) => `data.n == ${n}`), 'data.(('];
  const { start, dispatcher, run } = await openScene({ ...test, engine }, (request) => {
    const failed = memoOf(request, 'w18');
    if (failed) return complete(failed);
    return steps(guards.map((eventIf, n) => ({ op: 'WaitForEvent', name: `w${n}`, eventName: 'e', eventIf })));
  });
  const runId = await start();
  await dispatcher.runOnce();
  expect(turns).toBeGreaterThanOrEqual(14);
  expect(await run(runId)).toMatchObject({ result: { error: { message: expect.stringMatching(/^eventIf: CEL/) } } });
});
