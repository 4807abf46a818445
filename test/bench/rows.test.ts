import { beforeAll, describe, expect, it } from 'vitest';
import { addBacklog } from '../../bench/backlogRows.ts';
import { addSleepers } from '../../bench/sleeperRows.ts';
import { addWaiters, together } from '../../bench/waiterRows.ts';
import { app, wakeEvent } from '../../bench/workflows.ts';
import { runDoctor } from '../../src/engine/doctor/index.ts';
import { sendEvent } from '../../src/engine/events/index.ts';
import { RawJson } from '../../src/engine/json/index.ts';
import { wakeDueRuns } from '../../src/engine/work/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { complete, memoOf, ScriptedDispatcher } from '../support/scriptedRunner.ts';
import { registerWorkflows } from '../support/workflows.ts';

const test = useEngine();
let projectId: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'sleeper' }, { name: 'waiter' }], { app });
});

/** Executes what is ready: each run ends with what its step came to. */
async function execute(step: string): Promise<unknown[]> {
  const results: unknown[] = [];
  const dispatcher = await new ScriptedDispatcher(test.engine, (request) => {
    results.push(memoOf(request, step));
    return complete(1);
  }).start();
  await dispatcher.runOnce();
  return results;
}

const violations = async () => {
  const { checks } = await runDoctor(test.engine);
  return checks.flatMap(({ violations }) => violations.map(({ message }) => message));
};

describe('runs that the bench makes by SQL', () => {
  it('sleep until their time, and wake then', async () => {
    const lane = { app, workflow: 'sleeper' };
    await addSleepers(test.db, lane, { runs: 3, dueAt: new Date(Date.now() - 1000), spreadMs: 0 });
    await addSleepers(test.db, lane, { runs: 2, dueAt: new Date(Date.now() + 3_600_000), spreadMs: 1000 });
    expect(await violations()).toEqual([]);
    expect(await wakeDueRuns(test.engine)).toMatchObject({ woken: 3 });
    expect(await execute('sleep')).toEqual([{ data: null }, { data: null }, { data: null }]);
    expect(await violations()).toEqual([]);
  });

  it('wait for an event of their own, or for one that they share', async () => {
    await addWaiters(test.db, { app, workflow: 'waiter' }, { runs: 20, togetherEvery: 10 });
    expect(await violations()).toEqual([]);
    const send = async (id: string) => {
      const input = { name: wakeEvent, data: RawJson.of({ id }) };
      return (await sendEvent(test.engine, { projectId, input })).woke;
    };
    expect([await send('row-3'), await send('nobody'), await send(together)]).toEqual([1, 0, 2]);
    expect(await execute('wait')).toMatchObject(
      ['row-3', together, together].map((id) => ({ data: { data: { id } } })),
    );
    expect(await violations()).toEqual([]);
  });

  it.each(['queued', 'stranded', 'asleep'] as const)('are %s as the service leaves its own', async (kind) => {
    await addBacklog(test.db, kind, { app, workflow: 'sleeper' }, 3);
    expect(await violations()).toEqual([]);
  });
});
