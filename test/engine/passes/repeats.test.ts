import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { defaultEngineSettings } from '../../../src/engine/settings.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { answer, complete, idOf, memoOf, type Script, steps } from '../../support/scriptedRunner.ts';

const clock = new ManualClock();

const limits = { ...defaultEngineSettings.limits, passesAstray: 5, stepsPerRun: 6 };
const test = useEngine({ clock, settings: { limits } });

const astray = {
  name: 'NonDeterminismError',
  message: expect.stringMatching(/none of its saved steps in 5 passes in a row \(MAX_PASSES_ASTRAY\)/),
};

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

  it('fails its run after several in a row, with the reason', async () => {
    const { dispatcher, run, attempts } = await started(() => steps([a]));
    for (let again = 1; again < limits.passesAstray; again += 1) {
      clock.advance(499);
      await dispatcher.runOnce();
      expect(await run()).toMatchObject({ status: 'waiting' });
      clock.advance(1);
      await dispatcher.runOnce();
    }
    expect(await run()).toMatchObject({ status: 'failed', attempt: 1, error: astray });
    expect(dispatcher.requests).toHaveLength(limits.passesAstray + 1);
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

/** A new step, with the number of saved steps that the handler reached. */
const fresh = (name: string, reached: number | undefined, op = 'StepRun') =>
  answer(206, { opcodes: [{ op, id: idOf(name), name, data: 1, sleepMs: 100 }], reached, logs: [] });
const count = (request: { steps: object }): number => Object.keys(request.steps).length;

describe('a pass that reaches none of the saved steps', () => {
  it.each(['StepRun', 'Sleep'])('fails its run after several in a row, whose %s are recorded', async (op) => {
    const { dispatcher, run, attempts } = await started((request) => fresh(`x${count(request)}`, 0, op));
    for (let sleeps = 0; sleeps < limits.stepsPerRun; sleeps += 1) {
      clock.advance(100);
      await dispatcher.runOnce();
    }
    expect(await run()).toMatchObject({ status: 'failed', attempt: 1, error: astray });
    // The first pass has no saved step to reach.
    expect(dispatcher.requests).toHaveLength(limits.passesAstray + 1);
    expect(await attempts()).toHaveLength(limits.passesAstray + 1);
  });

  it('does not count after a pass that reaches one', async () => {
    const { run } = await started((request) => {
      const known = count(request);
      return known === 6 ? complete('done') : fresh(`x${known}`, known === 3 ? 1 : 0);
    });
    expect(await run()).toMatchObject({ status: 'succeeded' });
  });

  it('does not count if the runner does not tell what it reached', async () => {
    const { run } = await started((request) =>
      count(request) === 6 ? complete('done') : fresh(`x${count(request)}`, undefined),
    );
    expect(await run()).toMatchObject({ status: 'succeeded' });
  });
});

describe('the steps of a run', () => {
  const message = 'the run has more than 6 steps (MAX_STEPS_PER_RUN)';

  it('are bounded: one step more fails the run', async () => {
    const { run, attempts } = await started((request) => fresh(`x${count(request)}`, count(request)));
    expect(await run()).toMatchObject({ status: 'failed', attempt: 1, error: { message } });
    expect(await attempts()).toHaveLength(6);
  });

  it('are recorded up to the bound, if one answer exceeds it', async () => {
    const many = Array.from({ length: 9 }, (_, n) => ({ op: 'StepRun' as const, name: `x${n}`, data: n }));
    const { run, attempts } = await started(() => steps(many));
    expect(await run()).toMatchObject({ status: 'failed', error: { message } });
    expect(await attempts()).toHaveLength(6);
  });

  it('may reach the bound', async () => {
    const many = Array.from({ length: 6 }, (_, n) => ({ op: 'StepRun' as const, name: `x${n}`, data: n }));
    const { run } = await started((request) => (count(request) === 0 ? steps(many) : complete('done')));
    expect(await run()).toMatchObject({ status: 'succeeded' });
  });
});

describe('an invoke that timed out', () => {
  it('counts as three without an answer: the fourth in a row fails the run, with the last reason', async () => {
    const reason = 'no answer within 900000 ms';
    const { dispatcher, run } = await started(() => ({
      kind: 'transport',
      reason,
      socketLost: false,
      hasTimedOut: true,
    }));
    for (let more = 0; more < 3; more += 1) {
      expect(await run()).toMatchObject({ status: 'waiting' });
      clock.advance(31_000);
      await dispatcher.runOnce();
    }
    expect(dispatcher.requests).toHaveLength(4);
    expect(await run()).toMatchObject({ status: 'failed', error: { message: `runner did not answer: ${reason}` } });
  });
});
