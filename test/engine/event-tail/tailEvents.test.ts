import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../../src/engine/context.ts';
import type { Database } from '../../../src/engine/db/database.ts';
import type { Queryable } from '../../../src/engine/db/statement.ts';
import { eventHub } from '../../../src/engine/event-tail/eventHub.ts';
import { lowestIdAt } from '../../../src/engine/event-tail/idTime.ts';
import { type IngestedEvent, tailEvents } from '../../../src/engine/event-tail/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { isSettled } from '../timeline/journal.ts';

const test = useEngine();
let engine: EngineContext;
let projectId: string;

beforeAll(async () => {
  engine = test.engine;
});
beforeEach(async () => {
  projectId = await createTestProject(engine);
});

interface Recorded {
  name?: string;
  app?: string;
  id?: string;
  project?: string;
  db?: Queryable;
}

/** Records without a hint, as another process would. */
async function record({ name = 'order.placed', app = 'shop', id = newId(), project = projectId, db }: Recorded = {}) {
  await (db ?? engine.db).query(
    `insert into event (id, project_id, app, name, source, triggered) values ($1, $2, $3, $4, 'api', '[]')`,
    [id, project, app, name],
  );
  return { id, app, name };
}

/** Records and tells of it, as this process would. */
async function publish(event: Recorded = {}): Promise<IngestedEvent> {
  const recorded = await record(event);
  announce(recorded, event.project);
  return recorded;
}

function announce({ id, app, name }: IngestedEvent, project = projectId): void {
  engine.bus.emit('event.ingested', { projectId: project, eventId: id, app, name });
}

/** Records so many at once, without a hint; their ids, oldest first. */
async function recordMany(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId()).sort();
  await engine.db.query(
    `insert into event (id, project_id, app, name, source, triggered)
     select id, $2, 'shop', 'order.placed', 'api', '[]' from unnest($1::uuid[]) as id`,
    [ids, projectId],
  );
  return ids;
}

/**
 * Does what is given while a transaction is open that has its number, and lets it record, and
 * commit, after that.
 */
async function meanwhile<Result>(work: () => Promise<Result>, late: (tx: Queryable) => Promise<unknown>) {
  return engine.db.transaction(async (tx) => {
    await tx.query('select pg_current_xact_id()');
    const result = await work();
    await late(tx);
    return result;
  });
}

async function take(events: AsyncIterator<IngestedEvent>, count: number): Promise<IngestedEvent[]> {
  const seen: IngestedEvent[] = [];
  while (seen.length < count) {
    const { value, done } = await events.next();
    if (done) break;
    seen.push(value);
  }
  return seen;
}

describe('the live tail of the event log (4.3)', () => {
  it('begins with what comes, in order, each event once', async () => {
    await publish();
    const events = tailEvents(engine, { projectId });
    const news = [await publish(), await record(), await publish()];
    const [first, second, third] = news;
    const seen = await take(events, 3);
    expect(new Set(seen)).toEqual(new Set([first, second, third]));
    const next = events.next();
    expect(await isSettled(next)).toBe(false);
    const last = await publish();
    expect((await next).value).toEqual(last);
    await events.return?.();
  });

  it('tells of what another process records', async () => {
    const events = tailEvents(engine, { projectId });
    const next = events.next();
    const event = await record();
    expect((await next).value).toEqual(event);
    const late = await record();
    expect(await take(events, 1)).toEqual([late]);
    await events.return?.();
  });

  it('an event whose id is older than others but which commits after them is not lost', async () => {
    const early = newId();
    const events = tailEvents(engine, { projectId });
    const later = await publish();
    expect(await take(events, 1)).toEqual([later]);
    await record({ id: early });
    expect((await take(events, 1))[0]?.id).toBe(early);
    await events.return?.();
  });

  it('an event comes after all of older ids that were there when it was recorded, though they were announced later', async () => {
    const events = tailEvents(engine, { projectId });
    await eventHub(engine).primed(projectId);
    const slow = await record();
    const quick = await publish();
    announce(slow);
    expect(await take(events, 2)).toEqual([slow, quick]);
    await events.return?.();
  });

  it('an event that was being recorded keeps none waiting', async () => {
    const [early, late] = [newId(), newId()];
    const events = tailEvents(engine, { projectId });
    await eventHub(engine).primed(projectId);
    await meanwhile(
      async () => {
        await publish({ id: late });
        expect(await take(events, 1)).toMatchObject([{ id: late }]);
      },
      (db) => record({ id: early, db }),
    );
    expect(await take(events, 1)).toMatchObject([{ id: early }]);
    await events.return?.();
  });

  it('tells of thousands at once that another process records, in order', async () => {
    const seen: string[] = [];
    const leave = eventHub(engine).listen(projectId, ({ id }) => seen.push(id));
    await eventHub(engine).primed(projectId);
    const ids = await recordMany(2_500);
    await eventHub(engine).runOnce();
    expect(seen).toEqual(ids);
    leave();
  });

  it('reads nothing again of what was told', async () => {
    const read: { id: string }[] = [];
    const db: Database = Object.create(engine.db, {
      query: {
        value: async (query: { name: string; text: string }) => {
          const result = await engine.db.query<{ id: string }>(query);
          if (query.name === 'listRecentEvents') read.push(...result.rows);
          return result;
        },
      },
    });
    const hub = eventHub({ ...engine, db });
    const seen: string[] = [];
    const leave = hub.listen(projectId, ({ id }) => seen.push(id));
    await hub.primed(projectId);
    const ids = await recordMany(100);
    await hub.runOnce();
    read.length = 0;
    const { id } = await record();
    await hub.runOnce();
    leave();
    expect(seen).toEqual([...ids, id]);
    expect(read).toMatchObject([{ id }]);
  });

  it.each([{ app: 'billing' }, { name: 'order.paid' }])('narrowed to %j it leaves out the rest', async (filter) => {
    const events = tailEvents(engine, { projectId, ...filter });
    await publish();
    await publish({ project: await createTestProject(engine), app: 'billing', name: 'order.paid' });
    const wanted = await publish({ app: 'billing', name: 'order.paid' });
    expect(await take(events, 1)).toEqual([wanted]);
    await events.return?.();
  });
});

describe('a consumer that comes back', () => {
  it('gets what it missed, then goes on live, without a gap or a double', async () => {
    const seen = await record();
    const missed = [];
    for (let count = 0; count < 450; count++) missed.push(await record());
    const events = tailEvents(engine, { projectId, afterId: seen.id });
    const meanwhile = [await publish(), await publish()];
    expect(await take(events, 452)).toEqual([...missed, ...meanwhile]);
    const next = events.next();
    expect(await isSettled(next)).toBe(false);
    const live = await publish();
    expect((await next).value).toEqual(live);
    await events.return?.();
  });

  it('gets no event again that was there when the one was recorded that it saw last', async () => {
    const [, seen, next] = [await record(), await record(), await record()];
    const events = tailEvents(engine, { projectId, afterId: seen.id });
    expect(await take(events, 1)).toEqual([next]);
    expect(await isSettled(events.next())).toBe(false);
    await events.return?.();
  });

  it('to another process gets no event again that was told by the first, though the other one has not told of it yet', async () => {
    const others = tailEvents(engine, { projectId });
    await eventHub(engine).primed(projectId);
    const [told, seen] = [await record(), await record()];
    const events = tailEvents(engine, { projectId, afterId: seen.id });
    const next = events.next();
    await eventHub(engine).runOnce();
    expect(await take(others, 2)).toEqual([told, seen]);
    const news = await publish();
    expect((await next).value).toEqual(news);
    const last = await publish();
    expect(await take(events, 1)).toEqual([last]);
    await Promise.all([events.return?.(), others.return?.()]);
  });

  it('gets what was recorded late under an older id of the last ten seconds', async () => {
    const at = (agoMs: number): string => lowestIdAt(new Date(Date.now() - agoMs));
    const [tooOld, late, told] = [at(40_000), at(22_000), at(21_000)];
    await record({ id: at(23_000) });
    await record({ id: told });
    const recordedLate = await record({ id: late });
    await record({ id: tooOld });
    const missed = await record({ id: at(5_000) });
    const events = tailEvents(engine, { projectId, afterId: told });
    expect(await take(events, 2)).toEqual([recordedLate, missed]);
    const next = events.next();
    expect(await isSettled(next)).toBe(false);
    const live = await publish();
    expect((await next).value).toEqual(live);
    await events.return?.();
  });

  it('gets no event again that was there, though a transaction went on that is older than both', async () => {
    const early = newId();
    const [seen] = await meanwhile(
      async () => [await record(), await record()].reverse(),
      (db) => record({ id: early, db }),
    );
    const events = tailEvents(engine, { projectId, afterId: seen?.id });
    expect(await take(events, 1)).toMatchObject([{ id: early }]);
    expect(await isSettled(events.next())).toBe(false);
    await events.return?.();
  });

  it('gets what was being recorded, under an older id, when the one was that it saw last', async () => {
    const [early, late] = [newId(), newId()];
    await meanwhile(
      () => record({ id: late }),
      (db) => record({ id: early, db }),
    );
    const events = tailEvents(engine, { projectId, afterId: late });
    expect(await take(events, 1)).toMatchObject([{ id: early }]);
    await events.return?.();
  });

  it('gets nothing again of the transaction that recorded what it saw last', async () => {
    const [first, second, third] = [newId(), newId(), newId()];
    await engine.db.transaction(async (db) => {
      for (const id of [first, second, third]) await record({ id, db });
    });
    const events = tailEvents(engine, { projectId, afterId: second });
    expect(await take(events, 1)).toMatchObject([{ id: third }]);
    expect(await isSettled(events.next())).toBe(false);
    await events.return?.();
  });

  it('from an event that is older than the numbers of transactions, gets the ten seconds before it once more', async () => {
    const [before, seen] = [await record(), await record()];
    await engine.db.query('update event set xid = null, snapshot = null where project_id = $1', [projectId]);
    const news = await record();
    const bySeen = tailEvents(engine, { projectId, afterId: seen.id });
    expect(await take(bySeen, 2)).toEqual([before, news]);
    const byNews = tailEvents(engine, { projectId, afterId: news.id });
    expect(await isSettled(byNews.next())).toBe(false);
    await Promise.all([bySeen.return?.(), byNews.return?.()]);
  });

  it('gets what it missed from a copy of the database, whose transactions are numbered anew', async () => {
    const earlier = (ms: number) => lowestIdAt(new Date(Date.now() - ms));
    const [seen, missed] = [await record({ id: earlier(90_002) }), await record({ id: earlier(90_001) })];
    await engine.db.query('update event set xid = xid + 1000000000 where project_id = $1', [projectId]);
    const events = tailEvents(engine, { projectId, afterId: seen.id });
    expect(await take(events, 1)).toEqual([missed]);
    await events.return?.();
  });

  it('gets two thousand of the events before at most, the last of them', async () => {
    const base = Date.now() - 60_000;
    const ids = Array.from({ length: 2_003 }, (_, n) => lowestIdAt(new Date(base + n)));
    const seen = ids[2_001];
    await meanwhile(
      () => record({ id: seen ?? '' }),
      (tx) =>
        tx.query(
          `insert into event (id, project_id, app, name, source, triggered)
           select id, $2, 'shop', 'x', 'api', '[]' from unnest($1::uuid[]) as id`,
          [ids.filter((id) => id !== seen), projectId],
        ),
    );
    const events = tailEvents(engine, { projectId, afterId: seen });
    const told = await take(events, 2_001);
    expect(told.map(({ id }) => id)).toEqual([...ids.slice(1, -2), ids.at(-1)]);
    await events.return?.();
  });

  it('is told of what comes while it catches up only after what was there before', async () => {
    const seen = await record();
    const early = newId();
    const missed = [];
    for (let count = 0; count < 250; count++) missed.push(await record());
    const events = tailEvents(engine, { projectId, afterId: seen.id });
    expect(await take(events, 1)).toEqual([missed[0]]);
    const news = [await publish({ id: early }), await publish()];
    expect(await take(events, 251)).toEqual([...missed.slice(1), ...news]);
    await events.return?.();
  });

  it('narrowed by app, gets only that', async () => {
    const seen = await record();
    await record();
    const wanted = await record({ app: 'billing' });
    const events = tailEvents(engine, { projectId, app: 'billing', afterId: seen.id });
    expect(await take(events, 1)).toEqual([wanted]);
    await events.return?.();
  });

  it('with an id that is none is told so', () => {
    expect(() => tailEvents(engine, { projectId, afterId: 'x' })).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });
});

describe('a tail of events is left', () => {
  it('by its signal, or by return, while it waits', async () => {
    const abort = new AbortController();
    const bySignal = tailEvents(engine, { projectId, signal: abort.signal });
    const byReturn = tailEvents(engine, { projectId, afterId: newId() });
    const waiting = [bySignal.next(), byReturn.next()];
    abort.abort();
    await byReturn.return?.();
    expect((await Promise.all(waiting)).every(({ done }) => done)).toBe(true);
  });

  it('by force, when the consumer falls too far behind', async () => {
    const events = tailEvents(engine, { projectId });
    for (let count = 0; count < 2001; count++) {
      engine.bus.emit('event.ingested', { projectId, eventId: newId(), app: 'shop', name: 'x' });
    }
    expect((await events.next()).done).toBe(true);
  });
});
