import { expect, it } from 'vitest';
import { useEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { complete, memoOf, steps } from '../../support/scriptedRunner.ts';

const test = useEngine();

it.each([
  ['of letters', 'Levitate', 'Levitate'],
  ['with U+0000', 'Lev\0itate', 'Lev\uFFFDitate'],
  ['with half a surrogate pair', 'Lev\uD800itate', 'Lev\uFFFDitate'],
  ['of 40,000 balloons', '🎈'.repeat(40_000), '🎈'.repeat(32)],
  ['whose 64th character is cut in two', `${'x'.repeat(63)}🎈`, `${'x'.repeat(63)}\uFFFD`],
])('an unknown opcode %s fails only its step', async (_, op, told) => {
  const { start, dispatcher, run, stepRows } = await openScene(test, (request) => {
    const failed = memoOf(request, 'a');
    if (failed) return complete(failed);
    return steps([{ op: 'StepRun', name: 'b', data: 'done' }, { op, name: 'a' } as never]);
  });
  const runId = await start();
  await dispatcher.runOnce();
  expect(await run(runId)).toMatchObject({
    status: 'succeeded',
    result: { error: { name: 'UnsupportedOpcodeError', message: `unsupported opcode ${JSON.stringify(told)}` } },
  });
  expect((await stepRows(runId)).map((row) => [row.name, row.op, row.status])).toEqual([
    ['b', 'StepRun', 'succeeded'],
    ['a', told, 'failed'],
  ]);
});
