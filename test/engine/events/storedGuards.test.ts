import { afterAll, describe, expect, it, vi } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { recoverPending, sendEvent } from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { refusingOnce } from '../../support/refusingDatabase.ts';
import { memoOf, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();
afterAll(async () => {
  onFailPoint(undefined);
});

/** Runs that wait for the event that their input names, under its guard if it has one. */
async function waiting(...waits: { eventName: string; eventIf?: string }[]) {
  const projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'flow' }]);
  const runIds: string[] = [];
  for (const wait of waits) {
    const input = { input: RawJson.of(wait) };
    const { runId } = await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input });
    runIds.push(runId ?? '');
  }
  const dispatcher = await new ScriptedDispatcher(test.engine, (request) => {
    const wait = request.event.data as (typeof waits)[number];
    return steps(memoOf(request, 'w') ? [] : [{ op: 'WaitForEvent', name: 'w', ...wait }]);
  }).start();
  await dispatcher.runOnce();
  const states = async () => {
    const rows = await test.db.prisma.runWork.findMany({ where: { runId: { in: runIds } } });
    return runIds.map((id) => rows.find((row) => row.runId === id)?.state);
  };
  return { projectId, states };
}

/** The service after a restart with a lower limit. */
function restarted() {
  const { db, log, clock, settings } = test.engine;
  const limits = { ...settings.limits, celSourceLength: 40 };
  const warn = vi.fn();
  return {
    engine: createEngine({ db, log: Object.assign(Object.create(log), { warn }), clock, settings: { limits } }),
    warn,
  };
}

/** Events leave the list of pending look-ups after the answer. */
const leavesPending = (count: number) =>
  vi.waitFor(async () => expect(await test.db.prisma.eventPending.count()).toBe(count));

describe('a wait whose guard exceeds a lowered limit', () => {
  const eventIf = `data.n > 1 && ${'data.n > 1 && '.repeat(5)} data.n > 1`;

  it('is not ended by any event, and does not affect other waits', async () => {
    const { projectId, states } = await waiting({ eventName: 'e', eventIf }, { eventName: 'e' });
    const { engine, warn } = restarted();
    const send = () => sendEvent(engine, { projectId, input: { name: 'e', data: RawJson.of({ n: 2 }) } });
    expect(await send()).toMatchObject({ woke: 1 });
    expect(await send()).toMatchObject({ woke: 0 });
    expect(await states()).toEqual(['parked', 'ready']);
    expect(warn).toHaveBeenCalledTimes(1);
    await leavesPending(0);
  });
});

describe('an event whose look-up of waiters fails', () => {
  it('does not affect other events', async () => {
    const { projectId, states } = await waiting({ eventName: 'e' }, { eventName: 'f' });
    onFailPoint((point) => {
      if (point === 'settleWaits:before') throw new Error('killed');
    });
    for (const name of ['e', 'f']) {
      await expect(sendEvent(test.engine, { projectId, input: { name } })).rejects.toThrow('killed');
    }
    onFailPoint(undefined);
    await test.db.query("update event_pending set created_at = created_at - interval '1 minute'");
    const { db, log } = test.engine;
    const recovering = createEngine({ db: refusingOnce(db, 'settleWaits'), log });
    await expect(recoverPending(recovering)).rejects.toThrow('deadlock detected');
    expect((await states()).toSorted()).toEqual(['parked', 'ready']);
    await leavesPending(1);
    expect(await recoverPending(recovering)).toBe(1);
    expect(await states()).toEqual(['ready', 'ready']);
  });
});
