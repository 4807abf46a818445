import type { WireLogLine } from '@holdfast/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { complete, memoOf, type Script, steps } from '../../support/scriptedRunner.ts';

const clock = new ManualClock();

const test = useEngine({ clock });

const line = (scope: string, message: string): WireLogLine => ({ level: 'info', message, scope, index: 0, tsMs: 1 });
const failing = { op: 'StepRun' as const, name: 'a', error: { message: 'no luck' }, retryAfterMs: 0 };
const ok = (name: string) => ({ op: 'StepRun' as const, name, data: 1 });

/** The lines that a run keeps, of a step that succeeds in its second attempt. */
async function linesOf(script: Script) {
  const { dispatcher, start, frames } = await openScene(test, script, { name: 'flow', retry: { maxAttempts: 2 } });
  const runId = await start();
  await dispatcher.runOnce();
  const logs = (await frames(runId)).filter((frame) => frame.kind === 'log');
  return logs.map(({ scope, message, attempt }) => ({ scope, message, attempt }));
}

describe('a log line of a step', () => {
  it('that is sent again in later passes is stored once, for the attempt that the step had reached', async () => {
    const second = [line('a', 'second try'), { ...line('a', 'and done'), index: 1 }];
    const lines = await linesOf((request) => {
      if (memoOf(request, 'b')) return complete(1, second);
      if (memoOf(request, 'a')) return steps([ok('b')], second);
      return request.ctx.stepAttempts ? steps([ok('a')], second) : steps([failing], [line('a', 'first try')]);
    });
    expect(lines).toEqual([
      { scope: 'a', message: 'first try', attempt: 1 },
      { scope: 'a', message: 'second try', attempt: 2 },
      { scope: 'a', message: 'and done', attempt: 2 },
    ]);
  });

  it('belongs to the last attempt even if an answer reports the recorded step again', async () => {
    const lines = await linesOf((request) => {
      if (memoOf(request, 'b')) return complete(1);
      if (memoOf(request, 'a')) return steps([ok('a'), ok('b')], [line('a', 'second try')]);
      return request.ctx.stepAttempts ? steps([ok('a')], [line('a', 'second try')]) : steps([failing]);
    });
    expect(lines).toEqual([{ scope: 'a', message: 'second try', attempt: 2 }]);
  });

  it('belongs to the first attempt if the step is unknown', async () => {
    const lines = await linesOf(() => complete(1, [line('a', 'never reported')]));
    expect(lines).toEqual([{ scope: 'a', message: 'never reported', attempt: 1 }]);
  });
});
