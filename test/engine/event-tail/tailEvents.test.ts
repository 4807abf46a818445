import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../../src/engine/context.ts';
import type { Database } from '../../../src/engine/db/database.ts';
import type { Queryable } from '../../../src/engine/db/statement.ts';
import { eventHub } from '../../../src/engine/event-tail/eventHub.ts';
import { type EventTailQuery, tailEvents } from '../../../src/engine/event-tail/eventTail.ts';
import { newId } from '../../../src/engine/ids.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { isSettled } from '../timeline/journal.ts';

const test = useEngine();
let engine: EngineContext;
let projectId: string;

beforeAll(() => {
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
}

type Event = Required<Pick<Recorded, 'id' | 'app' | 'name'>>;

/** Records an event, like any process does. */
async function record({ name = 'order.placed', app = 'shop', id = newId(), project = projectId }: Recorded = {}) {
  await recordAll([id], { name, app, project });
  return { id, app, name };
}

async function recordAll(ids: readonly string[], { name = 'order.placed', app = 'shop', project = projectId } = {}) {
  await engine.db.query(
    `with recorded as (
       insert into event (id, project_id, app, name, source, triggered)
       select id, $2, $3, $4, 'api', '[]' from unnest($1::uuid[]) as id returning id
     )
     insert into event_pending (event_id, project_id) select id, $2 from recorded`,
    [ids, project, app, name],
  );
}

/** Records without a hint that the waiters of events are awake, like another process would. */
const settle = (ids: readonly string[], db: Queryable = engine.db) =>
  db.query('delete from event_pending where event_id = any($1)', [ids]);

/** Records and delivers an event without a hint. */
async function deliver(event: Recorded = {}): Promise<Event> {
  const recorded = await record(event);
  await settle([recorded.id]);
  return recorded;
}

/** Records, delivers and announces an event, like this process would. */
async function publish(event: Recorded = {}): Promise<Event> {
  const { id, app, name } = await deliver(event);
  engine.bus.emit('event.ingested', { projectId: event.project ?? projectId, eventId: id, app, name });
  return { id, app, name };
}

async function take(events: AsyncIterator<Event>, count: number): Promise<Event[]> {
  const seen: Event[] = [];
  while (seen.length < count) {
    const { value, done } = await events.next();
    if (done) break;
    seen.push({ id: value.id, app: value.app, name: value.name });
  }
  return seen;
}

const takeIds = async (events: AsyncIterator<Event>, count: number) => (await take(events, count)).map(({ id }) => id);

const tail = (query: Omit<EventTailQuery, 'projectId'> = {}, by = engine) => tailEvents(by, { projectId, ...query });

/** The numbers of these events, in order. */
async function numbersOf(ids: readonly string[]): Promise<(number | undefined)[]> {
  const { rows } = await engine.db.query<{ event_id: string; seq: string }>(
    'select event_id, seq from event_seq where project_id = $1',
    [projectId],
  );
  const numbers = new Map(rows.map((row) => [row.event_id, Number(row.seq)]));
  return ids.map((id) => numbers.get(id));
}

describe('the live tail of the event log (4.3)', () => {
  it('begins with new events, in order, each exactly once', async () => {
    await publish();
    const events = await tail();
    const later = [await publish(), await deliver(), await publish()];
    expect(await take(events, 3)).toEqual(later);
    const next = events.next();
    expect(await isSettled(next)).toBe(false);
    const last = await publish();
    expect((await next).value).toMatchObject(last);
    await events.return?.();
  });

  it('delivers events that another process records', async () => {
    const events = await tail();
    const next = events.next();
    const event = await deliver();
    expect((await next).value).toMatchObject(event);
    const late = await deliver();
    expect(await take(events, 1)).toEqual([late]);
    await events.return?.();
  });

  it('does not lose an event that is delivered after others with newer ids', async () => {
    const early = newId();
    const events = await tail();
    const later = await publish();
    expect(await take(events, 1)).toEqual([later]);
    await deliver({ id: early });
    expect(await takeIds(events, 1)).toEqual([early]);
    await events.return?.();
  });

  it('omits events that were recorded before, even if they are delivered later', async () => {
    const before = await record();
    const others = await tail();
    const events = await tail();
    await settle([before.id]);
    const later = await publish();
    expect(await take(others, 1)).toEqual([later]);
    expect(await take(events, 1)).toEqual([later]);
    await Promise.all([events.return?.(), others.return?.()]);
  });

  it('opens tails of several projects at the same time', async () => {
    const other = await createTestProject(engine);
    const before = [await deliver(), await deliver({ project: other })];
    const opened = await Promise.all([projectId, other, projectId].map((id) => tailEvents(engine, { projectId: id })));
    const later = [await publish(), await publish({ project: other })];
    const delivered = await Promise.all(opened.map((events) => takeIds(events, 1)));
    expect(delivered.flat()).toEqual([later[0]?.id, later[1]?.id, later[0]?.id]);
    expect(delivered.flat()).not.toContain(before[0]?.id);
    await Promise.all(opened.map((events) => events.return?.()));
  });

  it('delivers thousands of events of another process, in order', async () => {
    const events = await tail();
    const next = events.next();
    const ids = Array.from({ length: 2_500 }, () => newId()).sort();
    await recordAll(ids);
    await settle(ids);
    expect([(await next).value?.id, ...(await takeIds(events, 2_499))]).toEqual(ids);
    await events.return?.();
  });

  it('reads each event once for all its tails', async () => {
    const read: string[] = [];
    const db: Database = Object.create(engine.db, {
      query: {
        value: async (query: { name: string; text: string }) => {
          const result = await engine.db.query<{ id: string }>(query);
          if (query.name === 'listEventsAfter') read.push(...result.rows.map(({ id }) => id));
          return result;
        },
      },
    });
    const other = { ...engine, db };
    const tails = [await tail({}, other), await tail({}, other)];
    const first = Promise.all(tails.map((events) => takeIds(events, 2)));
    await delay(20);
    const ids = [await deliver(), await deliver()].map(({ id }) => id);
    await eventHub(other).runOnce();
    expect(await first).toEqual([ids, ids]);
    const next = tails.map((events) => events.next());
    const { id } = await deliver();
    await eventHub(other).runOnce();
    await Promise.all(next);
    await eventHub(other).runOnce();
    expect(read).toEqual([...ids, id]);
    await Promise.all(tails.map((events) => events.return?.()));
  });

  it.each([{ app: 'billing' }, { name: 'order.paid' }])('filtered by %j, it omits all other events', async (filter) => {
    const events = await tail(filter);
    await publish();
    await publish({ project: await createTestProject(engine), app: 'billing', name: 'order.paid' });
    const wanted = await publish({ app: 'billing', name: 'order.paid' });
    expect(await take(events, 1)).toEqual([wanted]);
    await events.return?.();
  });

  it('delivers every event to a consumer that falls far behind, from the database', async () => {
    const events = await tail();
    const first = events.next();
    const ids = Array.from({ length: 2_500 }, () => newId()).sort();
    for (let start = 0; start < ids.length; start += 500) {
      const some = ids.slice(start, start + 500);
      await recordAll(some);
      await settle(some);
      await eventHub(engine).runOnce();
    }
    expect([(await first).value?.id, ...(await takeIds(events, 2_499))]).toEqual(ids);
    await events.return?.();
  });

  it('delivers an event whose process died before delivery', async () => {
    const events = await tail();
    const next = events.next();
    const { id } = await record();
    await eventHub(engine).runOnce();
    expect(await isSettled(next)).toBe(false);
    await engine.db.query("update event_pending set created_at = created_at - interval '1 minute'");
    await eventHub(engine).runOnce();
    expect((await next).value?.id).toBe(id);
    await events.return?.();
  });
});

describe('the numbers of events', () => {
  it('follow the commits: later deliveries of the same project wait, and other projects do not', async () => {
    const other = await createTestProject(engine);
    const [first, second, elsewhere] = [await record(), await record(), await record({ project: other })];
    const events = await tailEvents(engine, { projectId, afterId: newId().replace(/^.{8}/, '00000000') });
    const next = events.next();
    let waiting: Promise<unknown> = Promise.resolve();
    await engine.db.transaction(async (tx) => {
      await settle([second.id], tx);
      waiting = settle([first.id]);
      await settle([elsewhere.id]);
      await delay(50);
      expect(await isSettled(waiting)).toBe(false);
      await eventHub(engine).runOnce();
      expect(await isSettled(next)).toBe(false);
    });
    await waiting;
    expect(await numbersOf([second.id, first.id])).toEqual([1, 2]);
    expect((await next).value?.id).toBe(second.id);
    expect(await takeIds(events, 1)).toEqual([first.id]);
    await events.return?.();
  });

  it('are unique and without gaps, even if processes deliver the same events of several projects', async () => {
    const other = await createTestProject(engine);
    const ids = Array.from({ length: 40 }, () => newId());
    const theirs = Array.from({ length: 40 }, () => newId());
    await recordAll(ids);
    await recordAll(theirs, { project: other });
    const all = [...ids, ...theirs];
    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        settle(all.filter((_id, position) => position % 8 === n || position % 3 === 0)),
      ),
    );
    await settle(all);
    const numbers = await numbersOf(ids);
    expect(numbers.sort((a, b) => (a ?? 0) - (b ?? 0))).toEqual(ids.map((_, position) => position + 1));
  });

  it('are given to the other events if one event cannot be numbered', async () => {
    const twice = await deliver();
    await engine.db.query('insert into event_pending (event_id, project_id) values ($1, $2)', [twice.id, projectId]);
    const events = await tail({ afterId: twice.id });
    const next = events.next();
    const { id } = await record();
    await engine.db.query("update event_pending set created_at = created_at - interval '1 minute'");
    await eventHub(engine).runOnce();
    expect((await next).value?.id).toBe(id);
    await events.return?.();
    await engine.db.query('delete from event_seq where event_id = $1', [twice.id]);
    await settle([twice.id]);
  });

  it('are reused after a rollback', async () => {
    const [first, second] = [await record(), await record()];
    const undone = new Error('undone');
    await expect(
      engine.db.transaction(async (tx) => {
        await settle([first.id], tx);
        throw undone;
      }),
    ).rejects.toBe(undone);
    await settle([second.id]);
    await settle([first.id]);
    expect(await numbersOf([second.id, first.id])).toEqual([1, 2]);
  });
});

describe('a consumer that reconnects', () => {
  it('gets the missed events and then the live ones, without gaps or duplicates', async () => {
    const seen = await deliver();
    const missed = [];
    for (let count = 0; count < 450; count++) missed.push(await deliver());
    const events = await tail({ afterId: seen.id });
    const meanwhile = [await publish(), await publish()];
    expect(await take(events, 452)).toEqual([...missed, ...meanwhile]);
    const next = events.next();
    expect(await isSettled(next)).toBe(false);
    const live = await publish();
    expect((await next).value).toMatchObject(live);
    await events.return?.();
  });

  it('gets exactly the events delivered after its last one, whatever their ids', async () => {
    const ids = Array.from({ length: 5 }, () => newId());
    for (const position of [3, 1, 4, 0, 2]) await deliver({ id: ids[position] ?? '' });
    const events = await tail({ afterId: ids[1] });
    expect(await takeIds(events, 3)).toEqual([ids[4], ids[0], ids[2]]);
    expect(await isSettled(events.next())).toBe(false);
    await events.return?.();
  });

  it('gets no duplicates of events that were delivered together with its last one', async () => {
    const ids = [newId(), newId(), newId()];
    await recordAll(ids);
    await settle(ids);
    const events = await tail({ afterId: ids[1] });
    expect(await takeIds(events, 1)).toEqual([ids[2]]);
    expect(await isSettled(events.next())).toBe(false);
    await events.return?.();
  });

  it('to another process gets the same events', async () => {
    const others = await tail({}, { ...engine });
    const [seen, missed] = [await deliver(), await deliver()];
    const events = await tail({ afterId: seen.id });
    const later = await publish();
    expect(await take(events, 2)).toEqual([missed, later]);
    expect(await take(others, 3)).toEqual([seen, missed, later]);
    await Promise.all([events.return?.(), others.return?.()]);
  });

  it('after an event without a number, gets the events that follow it', async () => {
    const [before, sent] = [await deliver(), await record()];
    const events = await tail({ afterId: sent.id.toUpperCase() });
    await settle([sent.id]);
    const later = await publish();
    expect(await take(events, 1)).toEqual([later]);
    expect(before.id < sent.id).toBe(true);
    await events.return?.();
  });

  it('after an unknown id, gets the events with newer ids', async () => {
    const gone = newId();
    const first = await deliver();
    const other = newId();
    const second = await deliver();
    const bySecond = await tail({ afterId: other });
    expect(await take(bySecond, 1)).toEqual([second]);
    const byFirst = await tail({ afterId: gone });
    expect(await take(byFirst, 2)).toEqual([first, second]);
    await Promise.all([bySecond.return?.(), byFirst.return?.()]);
  });

  it('after an event that is older than all numbers, gets the later old events, then the numbered ones', async () => {
    const old = [newId(), newId(), newId()];
    await recordAll(old);
    await engine.db.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await settle(old, tx);
    });
    const later = await deliver();
    const pending = await record();
    const folder = '20261123205000_number_past_events';
    await engine.db.query(await readFile(`prisma/migrations/${folder}/migration.sql`, 'utf8'));
    expect(await numbersOf([...old, later.id, pending.id])).toEqual([-2, -1, 0, 1, undefined]);
    const events = await tail({ afterId: old[0] });
    expect(await takeIds(events, 3)).toEqual([old[1], old[2], later.id]);
    await settle([pending.id]);
    expect(await takeIds(events, 1)).toEqual([pending.id]);
    await events.return?.();
  });

  it('gets new events only after all missed ones', async () => {
    const seen = await deliver();
    const early = newId();
    const missed = [];
    for (let count = 0; count < 250; count++) missed.push(await deliver());
    const events = await tail({ afterId: seen.id });
    expect(await take(events, 1)).toEqual([missed[0]]);
    const later = [await publish({ id: early }), await publish()];
    expect(await take(events, 251)).toEqual([...missed.slice(1), ...later]);
    await events.return?.();
  });

  it('filtered by app, gets only the events of that app', async () => {
    const seen = await deliver();
    await deliver();
    const wanted = await deliver({ app: 'billing' });
    const events = await tail({ app: 'billing', afterId: seen.id });
    expect(await take(events, 1)).toEqual([wanted]);
    await events.return?.();
  });

  it('is refused with a malformed id', async () => {
    await expect(tail({ afterId: 'x' })).rejects.toMatchObject({ kind: 'invalid' });
  });
});

it('a waiting tail of events ends by return', async () => {
  const tails = [await tail(), await tail({ afterId: newId() })];
  const waiting = tails.map((events) => events.next());
  await Promise.all(tails.map((events) => events.return?.()));
  expect((await Promise.all(waiting)).every(({ done }) => done)).toBe(true);
});
