import { describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { pauseRun } from '../../../src/engine/control/index.ts';
import { digestOf, wholeWorkflow } from '../../../src/engine/flow/index.ts';
import { useEngine } from '../../support/engine.ts';
import { lockWaits, somebodyWaits } from '../../support/lockWaits.ts';
import { complete } from '../../support/scriptedRunner.ts';
import { openFlowScene } from '../flow/flowScene.ts';

/**
 * A run that emits an event locks its own queue row, and then requests a `singleton`. A start that
 * displaces the run holds the singleton, and then requests the row.
 */
const test = useEngine({ clock: new ManualClock() });

/**
 * Makes `start` meet a transaction that acts like such a run. `before` runs first, if PostgreSQL is
 * to abort another waiter for the row.
 */
async function meet<T>(holder: string, start: () => Promise<T>, before?: () => Promise<void>): Promise<T> {
  const { db } = test;
  let started: Promise<T> | undefined;
  return db
    .transaction(async (tx) => {
      // The transaction was aborted itself, and its retry has no work left.
      if (started) return { started };
      await tx.query('select from run_work where run_id = $1 for update', [holder]);
      await before?.();
      const waiting = await lockWaits(db);
      started = start();
      started.catch(() => undefined);
      await vi.waitFor(async () => expect(await lockWaits(db)).toBeGreaterThan(waiting), { timeout: 20_000 });
      await tx.query('select pg_advisory_xact_lock($1)', [digestOf('singleton', 'default', 'one', wholeWorkflow)]);
      return { started };
    })
    .then(({ started }) => started);
}

describe('a start that a deadlock aborts', () => {
  it('is retried if it came from an event', async () => {
    const project = await openFlowScene(test, [{ name: 'one', singleton: {} }], () => complete('done'));
    const first = await project.send('one');
    const second = await meet(first.runId ?? '', () => project.send('one'));
    expect(await project.run(first.runId)).toMatchObject({ status: 'cancelled' });
    expect(await project.run(second.runId)).toMatchObject({ status: 'queued' });
  });

  it('is retried if it is a replay', async () => {
    const project = await openFlowScene(test, [{ name: 'one', singleton: {} }], () => complete('done'));
    const first = await project.send('one');
    await project.settle();
    const second = await project.send('one');
    const replay = await meet(second.runId ?? '', () => project.replay(first.runId ?? ''));
    expect(await project.run(second.runId)).toMatchObject({ status: 'cancelled' });
    expect(await project.run(replay.id)).toMatchObject({ status: 'queued' });
  });
});

it('a call that waits for a run during a deadlock is answered as without one', async () => {
  const project = await openFlowScene(test, [{ name: 'one', singleton: {} }], () => complete('done'));
  const first = await project.send('one');
  const call = { projectId: project.projectId, runId: first.runId ?? '', actor: 'ops key' };
  let pausing: Promise<string> | undefined;
  const second = await meet(
    first.runId ?? '',
    () => project.send('one'),
    async () => {
      pausing = pauseRun(test.engine, call).then(
        ({ status }) => status,
        (error: Error) => error.message,
      );
      await somebodyWaits(test.db);
    },
  );
  expect(['paused', 'run already in a terminal state']).toContain(await pausing);
  expect(await project.run(first.runId)).toMatchObject({ status: 'cancelled' });
  expect(await project.run(second.runId)).toMatchObject({ status: 'queued' });
});
