import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import type { Reply } from '../../../src/engine/passes/index.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { memoOf, type Script, steps } from '../../support/scriptedRunner.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

const silence: Reply = { kind: 'transport', reason: 'gone', socketLost: false };
const silent: Script = () => silence;
const repeating: Script = () => steps([{ op: 'StepRun', name: 'a', data: 1 }]);

/** A run that backs off, in a deployment in which the former version takes part. */
async function backsOff(script: Script) {
  const { start, dispatcher, run } = await openScene(test, script);
  const runId = await start();
  const work = () => test.db.prisma.runWork.findUnique({ where: { runId } });
  return {
    work,
    run: () => run(runId),
    /** The former version has one column: above zero are unanswered invokes, below zero repeats. */
    formerly: (transportFailures: number) =>
      test.db.prisma.runWork.update({ where: { runId }, data: { transportFailures } }),
    async invoke(): Promise<void> {
      clock.advance(31_000);
      await dispatcher.runOnce();
    },
  };
}

describe('fruitless invokes that the former version counted', () => {
  it('are added up if they were unanswered', async () => {
    const { formerly, invoke, run } = await backsOff(silent);
    await invoke();
    await formerly(8);
    await invoke();
    expect(await run()).toMatchObject({ status: 'waiting' });
    await invoke();
    expect(await run()).toMatchObject({ status: 'failed', error: { message: 'runner did not answer: gone' } });
  });

  it('are added up if they were repeats', async () => {
    const { formerly, invoke, run } = await backsOff(repeating);
    await invoke();
    await formerly(-18);
    await invoke();
    expect(await run()).toMatchObject({ status: 'waiting' });
    await invoke();
    expect(await run()).toMatchObject({ status: 'failed' });
  });

  it('start from zero after an answer that the former version received', async () => {
    const { formerly, invoke, run, work } = await backsOff(silent);
    for (let times = 0; times < 9; times += 1) await invoke();
    await formerly(0);
    await invoke();
    expect(await run()).toMatchObject({ status: 'waiting' });
    expect(await work()).toMatchObject({ unanswered: 1, repeats: 0 });
  });

  it('are also written to its own column', async () => {
    const replies = [steps([{ op: 'StepRun', name: 'a', data: 1 }]), silence];
    const { invoke, work } = await backsOff((request) => (memoOf(request, 'a') && replies.pop()) || repeating(request));
    await invoke();
    expect(await work()).toMatchObject({ unanswered: 1, repeats: 0, transportFailures: 1 });
    await invoke();
    expect(await work()).toMatchObject({ unanswered: 0, repeats: 1, transportFailures: -1 });
  });
});
