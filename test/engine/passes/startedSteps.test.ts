import type { StartedStep } from '@holdfast/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { cancelRun } from '../../../src/engine/control/index.ts';
import { type Pass, settlePass } from '../../../src/engine/passes/index.ts';
import { recordStartedSteps } from '../../../src/engine/passes/recordStarted.ts';
import { selectRunSteps } from '../../../src/engine/runs/index.ts';
import { releaseRuns, wakeDueRuns } from '../../../src/engine/work/index.ts';
import { type TestEngine, useEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { complete, idOf, memoOf, type Script, steps } from '../../support/scriptedRunner.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

const ok = (name: string) => ({ op: 'StepRun' as const, name, data: name });
const failed = (name: string) => ({ op: 'StepRun' as const, name, error: { message: 'no' } });

const started = (name: string, more: Partial<StartedStep> = {}): StartedStep => ({
  id: idOf(name),
  name,
  attempt: 1,
  elapsedMs: 600,
  ...more,
});

const told = (pass: Pass, ...all: StartedStep[]) =>
  recordStartedSteps(test.engine, pass, { steps: all, invokedMs: 1_000 });

/** A run whose first pass is with its runner. */
async function executing(script: Script, workflow = { name: 'flow' }) {
  const scene = await openScene(test, script, workflow);
  const runId = await scene.start();
  const [pass] = await scene.dispatcher.claim();
  if (!pass) throw new Error('no pass');
  return { ...scene, runId, pass };
}

const listed = async ({ engine }: TestEngine, runId: string) =>
  (await selectRunSteps(engine.db, { runIds: [runId] })).map(
    ({ name, index, attempt, status }) => `${index}.${attempt} ${name} ${status}`,
  );

describe('a step whose body executes', () => {
  it('is listed as running until its pass reports it, with one frame', async () => {
    const { runId, pass, frames, dispatcher } = await executing((request) =>
      memoOf(request, 'a') ? complete(1) : steps([ok('a')]),
    );
    await told(pass, started('a'));
    await told(pass, started('a'));
    const [row] = await selectRunSteps(test.engine.db, { runIds: [runId] });
    expect(row).toMatchObject({ name: 'a', index: 0, attempt: 1, status: 'running', endedAt: null, willRetry: false });
    expect(clock.now().getTime() - (row?.startedAt.getTime() ?? 0)).toBe(600);
    await dispatcher.drive(pass);
    expect(await listed(test, runId)).toEqual(['0.1 a succeeded']);
    expect((await frames(runId)).map(({ seq, kind, status }) => `${seq} ${kind} ${status}`)).toEqual([
      '1 run_status queued',
      '2 run_status running',
      '3 step_status running',
      '4 step_status succeeded',
      '5 run_status succeeded',
    ]);
    expect((await frames(runId))[2]).toEqual({
      seq: 3,
      kind: 'step_status',
      step: 'a',
      index: 0,
      attempt: 1,
      status: 'running',
    });
  });

  it('keeps its index, whatever the answer reports before it', async () => {
    const { runId, pass, dispatcher } = await executing((request) =>
      memoOf(request, 'a') ? complete(1) : steps([ok('a'), ok('b'), ok('c')]),
    );
    await told(pass, started('b', { position: 1 }));
    expect(await listed(test, runId)).toEqual(['1.1 b running']);
    await dispatcher.drive(pass);
    expect(await listed(test, runId)).toEqual(['0.1 a succeeded', '1.1 b succeeded', '2.1 c succeeded']);
  });

  it('takes the next index if its runner names no position', async () => {
    const { runId, pass, dispatcher } = await executing((request) =>
      memoOf(request, 'a') ? complete(1) : steps([ok('a'), ok('b')]),
    );
    await told(pass, started('b'));
    await dispatcher.drive(pass);
    expect(await listed(test, runId)).toEqual(['0.1 b succeeded', '1.1 a succeeded']);
  });

  it('counts on in its attempts', async () => {
    const workflow = { name: 'flow', retry: { maxAttempts: 2, backoff: 'fixed' as const, initialDelayMs: 1_000 } };
    let attempts = 0;
    const { runId, pass, dispatcher } = await executing((request) => {
      if (memoOf(request, 'a')) return complete(1);
      attempts += 1;
      return steps([attempts === 1 ? failed('a') : ok('a')]);
    }, workflow);
    await told(pass, started('a'));
    await dispatcher.drive(pass);
    expect(await listed(test, runId)).toEqual(['0.1 a failed']);
    clock.advance(2_000);
    await wakeDueRuns(test.engine);
    const [again] = await dispatcher.claim();
    if (!again) throw new Error('the run is not claimed again');
    await told(again, started('a', { attempt: 2 }));
    expect(await listed(test, runId)).toEqual(['0.1 a failed', '0.2 a running']);
    await cancelRun(test.engine, { projectId: again.projectId, runId, actor: 'test' });
    expect(await listed(test, runId)).toEqual(['0.1 a failed', '0.2 a cancelled']);
  });

  it('is not running any more once its lease has ended, and runs again under the same attempt', async () => {
    const { runId, pass, dispatcher, frames } = await executing((request) =>
      memoOf(request, 'a') ? complete(1) : steps([ok('a')]),
    );
    await told(pass, started('a'));
    await releaseRuns(test.engine, dispatcher.id, [runId]);
    expect(await listed(test, runId)).toEqual([]);
    await told(pass, started('b'));
    expect(await listed(test, runId)).toEqual([]);
    const [again] = await dispatcher.claim();
    if (!again) throw new Error('the run is not claimed again');
    expect(again.memo.hasOpen).toBe(false);
    await told(again, started('a'));
    expect(await listed(test, runId)).toEqual(['0.1 a running']);
    const told2 = (await frames(runId)).filter(({ status, kind }) => kind === 'step_status' && status === 'running');
    expect(told2).toHaveLength(1);
    await dispatcher.drive(again);
    expect(await listed(test, runId)).toEqual(['0.1 a succeeded']);
  });

  it('is sent again after a lost socket, and told of again', async () => {
    const { runId, pass } = await executing(() => complete(1));
    await told(pass, started('a'));
    const lost = { kind: 'transport', reason: 'the connection to the runner was lost', socketLost: true } as const;
    expect(await settlePass(test.engine, pass, lost)).toBe('again');
    expect(await listed(test, runId)).toEqual([]);
    await told(pass, started('a'));
    expect(await listed(test, runId)).toEqual(['0.1 a running']);
  });

  it('is cancelled with its run', async () => {
    const { runId, pass, projectId, frames, stepRows } = await executing(() => complete(1));
    await told(pass, started('a'));
    await cancelRun(test.engine, { projectId, runId, actor: 'test' });
    expect(await stepRows(runId)).toMatchObject([
      { name: 'a', index: 0, attempt: 1, status: 'cancelled', op: 'StepRun', stepId: idOf('a') },
    ]);
    expect((await frames(runId)).slice(-2)).toMatchObject([
      { kind: 'step_status', step: 'a', status: 'cancelled' },
      { kind: 'run_status', status: 'cancelled' },
    ]);
  });

  it('is cancelled if its run ends without reporting it', async () => {
    const { runId, pass, dispatcher } = await executing(() => complete('done'));
    await told(pass, started('a'));
    await dispatcher.drive(pass);
    expect(await listed(test, runId)).toEqual(['0.1 a cancelled']);
  });

  it('is not recorded under a name or an id that no opcode may have', async () => {
    const { runId, pass } = await executing(() => complete(1));
    await told(pass, started('x'.repeat(257)), started('\0'), started('a', { id: '' }), started('b'));
    expect(await listed(test, runId)).toEqual(['0.1 b running']);
  });

  it('is recorded with at most a hundred others', async () => {
    const { runId, pass } = await executing(() => complete(1));
    await told(pass, ...Array.from({ length: 130 }, (_, at) => started(`s${at}`)));
    expect(await listed(test, runId)).toHaveLength(100);
  });
});
