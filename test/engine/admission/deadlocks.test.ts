import { describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { pauseRun } from '../../../src/engine/control/index.ts';
import { digestOf, wholeWorkflow } from '../../../src/engine/flow/index.ts';
import { useEngine } from '../../support/engine.ts';
import { lockWaits, somebodyWaits } from '../../support/lockWaits.ts';
import { complete } from '../../support/scriptedRunner.ts';
import { openFlowScene } from '../flow/flowScene.ts';

/**
 * A run that emits an event has its own queue row locked, and asks for a `singleton` place; who
 * displaces it has the place, and asks for that row.
 */
const test = useEngine({ clock: new ManualClock() });

/**
 * Has `start` meet a transaction that does what such a run does, in the order in which PostgreSQL
 * gives up the start, or what has come for the row before it.
 */
async function meet<T>(holder: string, start: () => Promise<T>, before?: () => Promise<void>): Promise<T> {
  const { db } = test;
  let started: Promise<T> | undefined;
  return db
    .transaction(async (tx) => {
      // Given up itself, it has nothing left to do.
      if (started) return { started };
      await tx.query('select from run_work where run_id = $1 for update', [holder]);
      await before?.();
      const waiting = await lockWaits(db);
      started = start();
      started.catch(() => undefined);
      await vi.waitFor(async () => expect(await lockWaits(db)).toBeGreaterThan(waiting), { timeout: 5_000 });
      await tx.query('select pg_advisory_xact_lock($1)', [digestOf('singleton', 'default', 'one', wholeWorkflow)]);
      return { started };
    })
    .then(({ started }) => started);
}

describe('a start that a deadlock makes give way', () => {
  it('is made all the same, when an event starts it', async () => {
    const project = await openFlowScene(test, [{ name: 'one', singleton: {} }], () => complete('done'));
    const first = await project.send('one');
    const second = await meet(first.runId ?? '', () => project.send('one'));
    expect(await project.run(first.runId)).toMatchObject({ status: 'cancelled' });
    expect(await project.run(second.runId)).toMatchObject({ status: 'queued' });
  });

  it('is made all the same, when it is a replay', async () => {
    const project = await openFlowScene(test, [{ name: 'one', singleton: {} }], () => complete('done'));
    const first = await project.send('one');
    await project.settle();
    const second = await project.send('one');
    const replay = await meet(second.runId ?? '', () => project.replay(first.runId ?? ''));
    expect(await project.run(second.runId)).toMatchObject({ status: 'cancelled' });
    expect(await project.run(replay.id)).toMatchObject({ status: 'queued' });
  });
});

it('a call that waits for a run in the midst of a deadlock is answered as if there were none', async () => {
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
