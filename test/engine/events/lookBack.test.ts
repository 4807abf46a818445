import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import type { Database } from '../../../src/engine/db/database.ts';
import { recoverLooks, sendEvent } from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { beforeStatement } from '../../support/interruptedDatabase.ts';
import { openScene } from '../../support/scene.ts';
import { complete, memoOf, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';

const clock = new ManualClock(new Date('2031-03-01T12:00:00Z'));
const test = useEngine({ clock });

interface Waits {
  sinceMs: number;
  eventIf?: string;
  timeoutMs?: number;
}

/** A run that waits for `paid`, looking back. It returns the number of the event that it got. */
async function openWait(wait: Waits) {
  const scene = await openScene(test, (request) => {
    const memo = memoOf(request, 'w');
    if (memo && 'data' in memo) return complete((memo.data as { data: { n: number } } | null)?.data.n ?? null);
    return steps([{ op: 'WaitForEvent', name: 'w', eventName: 'paid', ...wait }]);
  });
  const { projectId } = scene;
  const send = (n: number) => sendEvent(test.engine, { projectId, input: { name: 'paid', data: RawJson.of({ n }) } });
  const stepOf = async (runId: string) => (await scene.stepRows(runId))[0];
  return { ...scene, send, stepOf };
}

/** An engine of the same database, whose statements or transactions the test interrupts. */
const engineOn = (db: Database): EngineContext =>
  createEngine({ db, log: pino({ level: 'silent' }), clock, settings: { operatorKey: 'test operator key' } });

function beforeTransaction(db: Database, happens: () => Promise<unknown>): Database {
  let isAhead = true;
  const transaction: Database['transaction'] = async (work) => {
    if (isAhead) {
      isAhead = false;
      await happens();
    }
    return db.transaction(work);
  };
  return { ...db, transaction };
}

const minute = 60_000;
const ago = (ms: number): number => clock.now().getTime() - ms;

describe('a wait with since', () => {
  it('takes an event that came before it, in the commit that would have begun it', async () => {
    const { send, start, dispatcher, run, stepOf, frames } = await openWait({ sinceMs: ago(minute) });
    const { eventId } = await send(1);
    clock.advance(1_000);
    const runId = await start();
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 1 });
    expect(dispatcher.requests).toHaveLength(2);
    expect(await stepOf(runId)).toMatchObject({
      status: 'succeeded',
      input: { event: 'paid', since: '2031-03-01T11:59:00.000Z' },
      output: { id: eventId, name: 'paid', data: { n: 1 } },
    });
    expect((await frames(runId)).map(({ status }) => status)).not.toContain('waiting');
    const event = await test.db.prisma.event.findUniqueOrThrow({ where: { id: eventId } });
    expect(event).toMatchObject({ woke: 1, wokeRuns: [runId] });
    expect(await test.db.prisma.runWait.count({ where: { runId } })).toBe(0);
  });

  it('takes the first event at or after the instant, and none before', async () => {
    const { projectId, send, start, dispatcher, run } = await openWait({ sinceMs: ago(0) + minute });
    await send(1);
    clock.advance(minute);
    await send(2);
    clock.advance(1_000);
    await send(3);
    const other = await createTestProject(test.engine);
    await sendEvent(test.engine, { projectId: other, input: { name: 'paid', data: RawJson.of({ n: 4 }) } });
    await sendEvent(test.engine, { projectId, input: { name: 'refunded', data: RawJson.of({ n: 5 }) } });
    const runId = await start();
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 2 });
  });

  it('takes the first event that its guard accepts, however many it refuses', async () => {
    const { send, start, dispatcher, run } = await openWait({ sinceMs: ago(minute), eventIf: 'event.data.n >= 250' });
    for (let n = 1; n <= 260; n += 1) await send(n);
    const runId = await start();
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 250 });
  });

  it('examines the last 1,000 events of the name', async () => {
    const { projectId, send, start, dispatcher, run } = await openWait({ sinceMs: ago(minute), timeoutMs: 0 });
    await send(1);
    await test.db.query(
      `insert into event (id, project_id, app, name, source, triggered, received_at)
       select uuidv7(), $1, 'default', 'paid', 'api', '[]', $2 from generate_series(1, 999)`,
      [projectId, clock.now()],
    );
    const seen = await start();
    await dispatcher.runOnce();
    expect(await run(seen)).toMatchObject({ status: 'succeeded', result: 1 });
    await send(2);
    const passed = await start();
    await dispatcher.runOnce();
    expect(await run(passed)).toMatchObject({ status: 'succeeded', result: null });
  });

  it('passes over the event that started the run', async () => {
    const since = ago(0);
    const scene = await openScene(
      test,
      (request) => {
        const memo = memoOf(request, 'w');
        if (memo && 'data' in memo) return complete(memo.data);
        return steps([{ op: 'WaitForEvent', name: 'w', eventName: 'go', sinceMs: since }]);
      },
      { name: 'flow', triggers: [{ event: 'go' }] },
    );
    const { runId } = await sendEvent(test.engine, { projectId: scene.projectId, input: { name: 'go' } });
    await scene.dispatcher.runOnce();
    expect(await scene.run(runId ?? '')).toMatchObject({ status: 'waiting' });
    const next = await sendEvent(test.engine, { projectId: scene.projectId, input: { name: 'go' } });
    expect(next.woke).toBe(1);
    await scene.dispatcher.runOnce();
    expect(await scene.run(runId ?? '')).toMatchObject({ status: 'succeeded', result: { id: next.eventId } });
  });

  it('waits as usual when the log holds none, and times out as usual', async () => {
    const { send, start, dispatcher, run } = await openWait({ sinceMs: ago(minute), timeoutMs: minute });
    const [woken, timedOut] = [await start(), await start()];
    await dispatcher.runOnce();
    expect(await run(woken)).toMatchObject({ status: 'waiting' });
    await vi.waitFor(async () => expect(await test.db.prisma.runWait.count({ where: { looksBack: true } })).toBe(0));
    await test.db.query('delete from run_wait where run_id = $1', [timedOut]);
    expect((await send(7)).woke).toBe(1);
    clock.advance(minute);
    await dispatcher.runOnce();
    expect(await run(woken)).toMatchObject({ status: 'succeeded', result: 7 });
    expect(await run(timedOut)).toMatchObject({ status: 'succeeded', result: null });
  });

  it('takes no event before a future instant', async () => {
    const { send, start, dispatcher, run } = await openWait({ sinceMs: ago(-minute) });
    const runId = await start();
    await dispatcher.runOnce();
    expect((await send(1)).woke).toBe(0);
    clock.advance(minute);
    expect((await send(2)).woke).toBe(1);
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ result: 2 });
  });

  it('fails its step for an instant that is none', async () => {
    const { start, dispatcher, stepOf } = await openWait({ sinceMs: Number.MAX_VALUE });
    const runId = await start();
    await dispatcher
      .claim()
      .then(([pass]) => pass && dispatcher.drive(pass))
      .catch(() => undefined);
    expect(await stepOf(runId)).toMatchObject({
      status: 'failed',
      error: { message: 'sinceMs must be milliseconds since the epoch, at most those of the year 9999' },
    });
  });
});

describe('an event that comes between the search of the log and the commit of the wait', () => {
  it('ends the wait once', async () => {
    let sending = async (): Promise<unknown> => undefined;
    const engine = engineOn(beforeTransaction(test.db, () => sending()));
    const { projectId, start, run, dispatcher: idle } = await openWait({ sinceMs: ago(minute) });
    const sent = { woke: -1, eventId: '' };
    sending = async () =>
      Object.assign(
        sent,
        await sendEvent(test.engine, { projectId, input: { name: 'paid', data: RawJson.of({ n: 1 }) } }),
      );
    const runId = await start();
    const dispatcher = await new ScriptedDispatcher(engine, () =>
      steps([{ op: 'WaitForEvent', name: 'w', eventName: 'paid', sinceMs: ago(minute) }]),
    ).start();
    const [pass] = await dispatcher.claim();
    if (!pass) throw new Error('no run was claimed');
    await dispatcher.drive(pass);
    expect(sent.woke).toBe(0);
    await vi.waitFor(async () => expect(await run(runId)).toMatchObject({ status: 'queued' }));
    await idle.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 1 });
    const event = await test.db.prisma.event.findUniqueOrThrow({ where: { id: sent.eventId } });
    expect(event).toMatchObject({ woke: 1, wokeRuns: [runId] });
  });

  it('is found by another process if the process of the wait dies', async () => {
    const { projectId, start, run, dispatcher: idle } = await openWait({ sinceMs: ago(minute) });
    const send = () => sendEvent(test.engine, { projectId, input: { name: 'paid', data: RawJson.of({ n: 1 }) } });
    const dead = () => Promise.reject(new Error('the process died'));
    const engine = engineOn(beforeStatement(beforeTransaction(test.db, send), 'lookingWaits', dead));
    const runId = await start();
    const dispatcher = await new ScriptedDispatcher(engine, () =>
      steps([{ op: 'WaitForEvent', name: 'w', eventName: 'paid', sinceMs: ago(minute) }]),
    ).start();
    const [pass] = await dispatcher.claim();
    if (!pass) throw new Error('no run was claimed');
    await dispatcher.drive(pass);
    expect(await run(runId)).toMatchObject({ status: 'waiting' });
    expect(await recoverLooks(test.engine)).toBe(0);
    clock.advance(6_000);
    expect(await recoverLooks(test.engine)).toBe(1);
    await idle.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 1 });
    expect(await recoverLooks(test.engine)).toBe(0);
  });

  it('is not displaced by a later event that finds the wait first', async () => {
    const { projectId, start, run, dispatcher: idle } = await openWait({ sinceMs: ago(minute) });
    const send = (n: number) => sendEvent(test.engine, { projectId, input: { name: 'paid', data: RawJson.of({ n }) } });
    const dead = () => Promise.reject(new Error('the process died'));
    const engine = engineOn(
      beforeStatement(
        beforeTransaction(test.db, () => send(1)),
        'lookingWaits',
        dead,
      ),
    );
    const runId = await start();
    const dispatcher = await new ScriptedDispatcher(engine, () =>
      steps([{ op: 'WaitForEvent', name: 'w', eventName: 'paid', sinceMs: ago(minute) }]),
    ).start();
    const [pass] = await dispatcher.claim();
    if (!pass) throw new Error('no run was claimed');
    await dispatcher.drive(pass);
    clock.advance(1_000);
    expect((await send(2)).woke).toBe(0);
    await idle.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 1 });
  });
});

describe('an event whose commit comes after the second search', () => {
  it('ends the wait, although it was received before the wait began', async () => {
    const { projectId, start, run, dispatcher } = await openWait({ sinceMs: ago(minute) });
    const runId = await start();
    const holder = await test.db.transaction(async (tx) => {
      // The same key is being claimed, so the event is received now, and recorded later.
      await tx.query(
        `insert into dedupe_key (project_id, scope, key, ref_id, expires_at) values ($1, 'event:default', 'k', $1, now())`,
        [projectId],
      );
      const input = { name: 'paid', dedupeId: 'k', data: RawJson.of({ n: 1 }) };
      const sending = sendEvent(test.engine, { projectId, input });
      await vi.waitFor(async () => {
        const { rows } = await test.db.query(
          `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        expect(rows[0]?.n).toBe(1);
      });
      clock.advance(5_000);
      await dispatcher.runOnce();
      await vi.waitFor(async () => expect(await test.db.prisma.runWait.count({ where: { looksBack: true } })).toBe(0));
      expect(await run(runId)).toMatchObject({ status: 'waiting' });
      await tx.query('delete from dedupe_key where project_id = $1', [projectId]);
      return { sending };
    });
    expect((await holder.sending).woke).toBe(1);
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 1 });
  });
});
