import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createEngine } from '../../../src/engine/engine.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { triggerWorkflow } from '../../../src/engine/runs/index.ts';
import { lockRuns } from '../../../src/engine/work/sql/lockRuns.ts';
import { createTestEngine, createTestProject, type TestEngine } from '../../support/engine.ts';
import { lockWaits } from '../../support/lockWaits.ts';
import { refusingOnce } from '../../support/refusingDatabase.ts';
import { memoOf, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

let test: TestEngine;

beforeAll(async () => {
  test = await createTestEngine();
});
afterAll(() => test.close());

/** A run that is parked until the event `go`. */
async function startWaiting(): Promise<{ projectId: string; runId: string }> {
  const projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'flow' }]);
  const dispatcher = await new ScriptedDispatcher(test.engine, (request) =>
    steps(memoOf(request, 'w') ? [] : [{ op: 'WaitForEvent', name: 'w', eventName: 'go' }]),
  ).start();
  const { runId } = await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: {} });
  if (!runId) throw new Error('no run was started');
  await dispatcher.runOnce();
  return { projectId, runId };
}

describe('of two events that race for one wait', () => {
  it('one wakes the run, and the other, which kept it from being claimed meanwhile, says that there is work', async () => {
    const { projectId, runId } = await startWaiting();
    const hints: number[][] = [];
    const unsubscribe = test.engine.bus.on('work.ready', ({ laneIds }) => hints.push([...laneIds]));
    const send = () => sendEvent(test.engine, { projectId, input: { name: 'go' } });
    const answers = await test.db.transaction(async (tx) => {
      await lockRuns(tx, { runIds: [runId] });
      const first = send();
      await vi.waitFor(async () => expect(await lockWaits(test.db)).toBe(1));
      const second = send();
      await vi.waitFor(async () => expect(await lockWaits(test.db)).toBe(2));
      return { first, second };
    });
    const woke = [(await answers.first).woke, (await answers.second).woke];
    unsubscribe();
    expect(woke.toSorted()).toEqual([0, 1]);
    expect(hints).toHaveLength(2);
    expect(hints[1]).toEqual(hints[0]);
    // They are forgotten in the background.
    await vi.waitFor(async () => expect(await test.db.prisma.eventPending.count()).toBe(0));
  });
});

/** What the columns that belong to a state are in it. */
const places = {
  ready: {},
  leased: { leaseId: randomUUID() },
  parked: {},
  stranded: { strandedAt: new Date() },
  paused: { resumeState: 'parked' },
  gated: { slot: 1n, gate: 'slot' },
};
const vacant = { leaseId: null, strandedAt: null, resumeState: null, slot: null, gate: null };
const states = Object.keys(places) as (keyof typeof places)[];

describe('an event that meets a run while its state changes', () => {
  const changes = states.flatMap((from) => states.map((to) => [from, to] as const));

  it.each(changes)('from %s to %s wakes it by what it has become', async (from, to) => {
    const { projectId, runId } = await startWaiting();
    const place = (state: keyof typeof places) => ({ state, ...vacant, ...places[state] });
    await test.db.prisma.runWork.update({ where: { runId }, data: place(from) });
    const { sent } = await test.db.transaction(async (tx) => {
      await lockRuns(tx, { runIds: [runId] });
      const sending = sendEvent(test.engine, { projectId, input: { name: 'go' } });
      await vi.waitFor(async () => expect(await lockWaits(test.db)).toBe(1));
      const { state, leaseId, strandedAt, resumeState, slot, gate } = place(to) as Record<string, unknown>;
      await tx.query({
        text: `
          update run_work set state = $2, lease_id = $3, stranded_at = $4, resume_state = $5, slot = $6, gate = $7
          where run_id = $1`,
        values: [runId, state, leaseId, strandedAt, resumeState, slot, gate],
      });
      return { sent: sending };
    });
    expect((await sent).woke).toBe(1);
    const found = await test.db.prisma.runWork.findUniqueOrThrow({ where: { runId } });
    const woken = to === 'parked' ? place('ready') : place(to);
    expect(found).toMatchObject(to === 'paused' ? { ...woken, resumeState: 'ready' } : woken);
  });
});

describe('an event', () => {
  it('is told to streams once its waiters are awake, so that its record names them', async () => {
    const { projectId, runId } = await startWaiting();
    const told: string[] = [];
    const unsubscribe = test.engine.bus.on('event.ingested', ({ eventId }) => told.push(eventId));
    const { sent } = await test.db.transaction(async (tx) => {
      await lockRuns(tx, { runIds: [runId] });
      const sending = sendEvent(test.engine, { projectId, input: { name: 'go' } });
      await vi.waitFor(async () => expect(await lockWaits(test.db)).toBe(1));
      expect(told).toEqual([]);
      return { sent: sending };
    });
    const { eventId, woke } = await sent;
    unsubscribe();
    expect(woke).toBe(1);
    expect(told).toEqual([eventId]);
    await vi.waitFor(async () => expect(await test.db.prisma.eventPending.count()).toBe(0));
  });

  it.each(['findWaitPaths', 'findWaits', 'settleWaits'])(
    'whose waiters could not be woken by %s at once wakes them a moment later, without anybody asking',
    async (name) => {
      const { projectId, runId } = await startWaiting();
      const engine = createEngine({ db: refusingOnce(test.db, name), log: pino({ level: 'silent' }) });
      await expect(sendEvent(engine, { projectId, input: { name: 'go' } })).rejects.toThrow('deadlock detected');
      await vi.waitFor(async () => {
        expect(await test.db.prisma.runWork.findUnique({ where: { runId } })).toMatchObject({ state: 'ready' });
      });
      expect(await test.db.prisma.event.findMany({ where: { projectId } })).toMatchObject([{ woke: 1 }]);
      await vi.waitFor(async () => expect(await test.db.prisma.eventPending.count()).toBe(0));
    },
  );
});
