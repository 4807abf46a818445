import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { complete, memoOf, type Script, steps } from '../../support/scriptedRunner.ts';

const clock = new ManualClock();

const test = useEngine({ clock });

const a = { op: 'StepRun' as const, name: 'a', data: 'first' };
const line = { level: 'info' as const, message: 'again', scope: '@root', index: 0, tsMs: 1 };

async function started(script: Script) {
  const scene = await openScene(test, script);
  const runId = await scene.start();
  await scene.dispatcher.runOnce();
  const attempts = () => scene.stepRows(runId).then((rows) => rows.map((row) => [row.name, row.attempt, row.output]));
  return { ...scene, runId, attempts, run: () => scene.run(runId) };
}

describe('an answer that only repeats what is recorded', () => {
  it('changes nothing: the pass is sent again after a delay, and the run continues', async () => {
    let repeats = 1;
    const { dispatcher, run, attempts, frames, runId } = await started((request) => {
      if (!memoOf(request, 'a')) return steps([a]);
      if (repeats-- > 0) return steps([{ ...a, data: 'another' }], [line]);
      return complete(memoOf(request, 'a'));
    });
    expect(await run()).toMatchObject({ status: 'waiting', attempt: 1 });
    clock.advance(600);
    await dispatcher.runOnce();
    expect(await run()).toMatchObject({ status: 'succeeded', attempt: 1, result: { data: 'first' } });
    expect(await attempts()).toEqual([['a', 1, 'first']]);
    expect((await frames(runId)).filter((frame) => frame.kind === 'log')).toHaveLength(1);
  });

  it('fails its run after five in a row, with the reason', async () => {
    const { dispatcher, run, attempts } = await started(() => steps([a]));
    for (const pauseMs of [500, 1_000, 2_000, 4_000]) {
      clock.advance(pauseMs - 1);
      await dispatcher.runOnce();
      expect(await run()).toMatchObject({ status: 'waiting' });
      clock.advance(1);
      await dispatcher.runOnce();
    }
    const message = 'runner reported only steps that are recorded already, and none is pending';
    expect(await run()).toMatchObject({ status: 'failed', attempt: 1, error: { message } });
    expect(dispatcher.requests).toHaveLength(6);
    expect(await attempts()).toEqual([['a', 1, 'first']]);
  });

  it('counts from zero again after an answer with progress', async () => {
    let passes = 0;
    const { dispatcher, run } = await started((request) => {
      passes += 1;
      if (passes === 5) return steps([{ op: 'StepRun', name: 'b', data: 1 }]);
      return passes === 9 ? complete(Object.keys(request.steps).length) : steps([a]);
    });
    for (let waits = 0; waits < 9; waits += 1) {
      clock.advance(31_000);
      await dispatcher.runOnce();
    }
    expect(await run()).toMatchObject({ status: 'succeeded', result: 2 });
  });

  it('is counted apart from unanswered invokes: either kind resets the other', async () => {
    let passes = 0;
    const { dispatcher, run } = await started(() => {
      passes += 1;
      if (passes === 30) return complete('after all');
      return passes % 4 === 1 ? steps([a]) : { kind: 'transport', reason: 'gone', socketLost: false };
    });
    for (let waits = 0; waits < 30; waits += 1) {
      clock.advance(31_000);
      await dispatcher.runOnce();
    }
    expect(await run()).toMatchObject({ status: 'succeeded', result: 'after all' });
  });
});
