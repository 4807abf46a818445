import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { recoverPending, sendEvent } from '../../../src/engine/events/index.ts';
import { settleWaits } from '../../../src/engine/events/sql/settleWaits.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { lockRuns } from '../../../src/engine/work/sql/lockRuns.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { beforeStatement } from '../../support/interruptedDatabase.ts';
import { lockWaits } from '../../support/lockWaits.ts';
import { refusingOnce } from '../../support/refusingDatabase.ts';
import { memoOf, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();

/** A run that is parked until the event `go`, by one step or by several. */
async function startWaiting(waits = 1): Promise<{ projectId: string; runId: string }> {
  const projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'flow' }]);
  const names = Array.from({ length: waits }, (_, at) => `w${at}`);
  const dispatcher = await new ScriptedDispatcher(test.engine, (request) =>
    steps(memoOf(request, 'w0') ? [] : names.map((name) => ({ op: 'WaitForEvent' as const, name, eventName: 'go' }))),
  ).start();
  const { runId } = await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: {} });
  if (!runId) throw new Error('no run was started');
  await dispatcher.runOnce();
  return { projectId, runId };
}

describe('two events that race for one wait', () => {
  it('wake the run once, and the loser, whose lock hid the run from claims, announces work', async () => {
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
    // Events leave the pending list in the background.
    await vi.waitFor(async () => expect(await test.db.prisma.eventPending.count()).toBe(0));
  });
});

describe('the result of a wait', () => {
  it.each([
    ['{"n": 1e400}', '{"n": 1e400}'],
    [undefined, '{}'],
  ])('is the event, whose data %j is stored as %s', async (data, stored) => {
    const { projectId, runId } = await startWaiting();
    const input = { name: 'go', ...(data !== undefined && { data: RawJson.trusted(data) }) };
    const { eventId } = await sendEvent(test.engine, { projectId, input });
    const { rows } = await test.db.query('select output::text from run_step where run_id = $1', [runId]);
    expect(rows[0]?.output).toMatch(/"ts":"[^"]*Z"}$/);
    expect(rows[0]?.output.replace(/,"ts".*/, '')).toBe(`{"id":"${eventId}","name":"go","data":${stored}`);
  });
});

/** The columns of each state. */
const columns = {
  ready: {},
  leased: { leaseId: randomUUID() },
  parked: {},
  stranded: { strandedAt: new Date() },
  paused: { resumeState: 'parked' },
  gated: { slot: 1n, gate: 'slot' },
};
const vacant = { leaseId: null, strandedAt: null, resumeState: null, slot: null, gate: null };
const states = Object.keys(columns) as (keyof typeof columns)[];

describe('an event that arrives while the state of a run changes', () => {
  const changes = states.flatMap((from) => states.map((to) => [from, to] as const));

  it.each(changes)('from %s to %s wakes the run according to its new state', async (from, to) => {
    const { projectId, runId } = await startWaiting();
    const columnsOf = (state: keyof typeof columns) => ({ state, ...vacant, ...columns[state] });
    await test.db.prisma.runWork.update({ where: { runId }, data: columnsOf(from) });
    const { sent } = await test.db.transaction(async (tx) => {
      await lockRuns(tx, { runIds: [runId] });
      const sending = sendEvent(test.engine, { projectId, input: { name: 'go' } });
      await vi.waitFor(async () => expect(await lockWaits(test.db)).toBe(1));
      const { state, leaseId, strandedAt, resumeState, slot, gate } = columnsOf(to) as Record<string, unknown>;
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
    const woken = to === 'parked' ? columnsOf('ready') : columnsOf(to);
    expect(found).toMatchObject(to === 'paused' ? { ...woken, resumeState: 'ready' } : woken);
  });
});

describe('an event', () => {
  it('is delivered to streams after its waiters woke, so that its record names them', async () => {
    const { projectId, runId } = await startWaiting();
    const published: string[] = [];
    const unsubscribe = test.engine.bus.on('event.ingested', ({ eventId }) => published.push(eventId));
    const { sent } = await test.db.transaction(async (tx) => {
      await lockRuns(tx, { runIds: [runId] });
      const sending = sendEvent(test.engine, { projectId, input: { name: 'go' } });
      await vi.waitFor(async () => expect(await lockWaits(test.db)).toBe(1));
      expect(published).toEqual([]);
      return { sent: sending };
    });
    const { eventId, woke } = await sent;
    expect(woke).toBe(1);
    await vi.waitFor(() => expect(published).toEqual([eventId]));
    unsubscribe();
    await vi.waitFor(async () => expect(await test.db.prisma.eventPending.count()).toBe(0));
  });

  it.each(['findWaitPaths', 'findWaits', 'settleWaits'])(
    'wakes its waiters a moment later if %s failed, without a further call',
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

describe('a run that waits for one event by several steps', () => {
  const record = async (projectId: string) => {
    const [event] = await test.db.prisma.event.findMany({ where: { projectId } });
    return event && { woke: event.woke, wokeRuns: event.wokeRuns };
  };
  const settle = (eventId: string, ...waits: { runId: string; stepIndex: number }[]) =>
    settleWaits(test.db, { eventId, memo: `{"id":"${eventId}"}`, waits, now: null });
  const ended = (runId: string) => test.db.prisma.runStep.count({ where: { runId, status: 'succeeded' } });

  // A statement settles 500 waits at most.
  it.each([2, 501])('counts as one woken run for %i waits', async (waits) => {
    const { projectId, runId } = await startWaiting(waits);
    const { woke } = await sendEvent(test.engine, { projectId, input: { name: 'go' } });
    expect(await ended(runId)).toBe(waits);
    expect(woke).toBe(1);
    expect(await record(projectId)).toEqual({ woke: 1, wokeRuns: [runId] });
  });

  it('is counted once if the process dies half-way through its waits', async () => {
    const { projectId, runId } = await startWaiting(3);
    const dying = beforeStatement(test.db, 'findWaits', () => Promise.reject(new Error('the process died')));
    const engine = createEngine({ db: dying, log: pino({ level: 'silent' }) });
    await expect(sendEvent(engine, { projectId, input: { name: 'go' } })).rejects.toThrow('the process died');
    const [event] = await test.db.prisma.event.findMany({ where: { projectId } });
    await settle(event?.id ?? '', { runId, stepIndex: 0 });
    await test.db.query("update event_pending set created_at = created_at - interval '1 minute'");
    expect(await recoverPending(test.engine)).toBe(1);
    expect(await ended(runId)).toBe(3);
    expect(await record(projectId)).toEqual({ woke: 1, wokeRuns: [runId] });
  });

  it('is counted once if two processes end its waits at the same time, and other runs are counted too', async () => {
    const { projectId, runId } = await startWaiting(2);
    const [second, third] = [await startWaiting(), await startWaiting()];
    const { eventId = '' } = await sendEvent(test.engine, { projectId, input: { name: 'not yet' } });
    // The event's row is locked. So all statements read its old version, and wait for the updates
    // of the others.
    const sent = await test.db.transaction(async (tx) => {
      await tx.query({ text: 'select from event where id = $1 for update', values: [eventId] });
      const settled: Promise<unknown>[] = [];
      const meanwhile = async (...waits: { runId: string; stepIndex: number }[]) => {
        settled.push(settle(eventId, ...waits));
        await vi.waitFor(async () => expect(await lockWaits(test.db)).toBe(settled.length));
      };
      await meanwhile({ runId, stepIndex: 0 });
      await meanwhile({ runId: second.runId, stepIndex: 0 });
      await meanwhile({ runId, stepIndex: 1 }, { runId: third.runId, stepIndex: 0 });
      return { settled };
    });
    await Promise.all(sent.settled);
    expect(await ended(runId)).toBe(2);
    const { woke, wokeRuns = [] } = (await record(projectId)) ?? {};
    expect([woke, wokeRuns.toSorted()]).toEqual([3, [runId, second.runId, third.runId].toSorted()]);
  });
});
