import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../../src/engine/context.ts';
import { newId } from '../../../src/engine/ids.ts';
import { type IngestedEvent, tailEvents } from '../../../src/engine/timeline/index.ts';
import { lowestIdAt } from '../../../src/engine/timeline/lowestIdAt.ts';
import { createTestEngine, createTestProject, type TestEngine } from '../../support/engine.ts';
import { isSettled } from './journal.ts';

let test: TestEngine;
let engine: EngineContext;
let projectId: string;

beforeAll(async () => {
  test = await createTestEngine();
  engine = test.engine;
});
beforeEach(async () => {
  projectId = await createTestProject(engine);
});
afterAll(() => test.close());

interface Recorded {
  name?: string;
  app?: string;
  id?: string;
  project?: string;
}

/** Records without a hint, as another process would. */
async function record({ name = 'order.placed', app = 'shop', id = newId(), project = projectId }: Recorded = {}) {
  await engine.db.query(
    `insert into event (id, project_id, app, name, source, triggered) values ($1, $2, $3, $4, 'api', '[]')`,
    [id, project, app, name],
  );
  return { id, app, name };
}

/** Records and tells of it, as this process would. */
async function publish(event: Recorded = {}): Promise<IngestedEvent> {
  const recorded = await record(event);
  const { id, app, name } = recorded;
  engine.bus.emit('event.ingested', { projectId: event.project ?? projectId, eventId: id, app, name });
  return recorded;
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

  it('gets what was recorded late under an older id, and whatever else is of the last seconds before', async () => {
    const at = (agoMs: number): string => lowestIdAt(new Date(Date.now() - agoMs));
    await record({ id: at(40_000) });
    const [late, told] = [at(22_000), at(21_000)];
    const earlier = await record({ id: at(23_000) });
    await record({ id: told });
    const recordedLate = await record({ id: late });
    const missed = await record({ id: at(5_000) });
    const events = tailEvents(engine, { projectId, afterId: told });
    expect(await take(events, 3)).toEqual([earlier, recordedLate, missed]);
    const next = events.next();
    expect(await isSettled(next)).toBe(false);
    const live = await publish();
    expect((await next).value).toEqual(live);
    await events.return?.();
  });

  it('gets two thousand of the events before at most, the last of them', async () => {
    const base = Date.now() - 60_000;
    const ids = Array.from({ length: 2_003 }, (_, n) => lowestIdAt(new Date(base + n)));
    await engine.db.query(
      `insert into event (id, project_id, app, name, source, triggered)
       select id, $2, 'shop', 'x', 'api', '[]' from unnest($1::uuid[]) as id`,
      [ids, projectId],
    );
    const events = tailEvents(engine, { projectId, afterId: ids.at(-2) });
    const seen = await take(events, 2_001);
    expect(seen.map(({ id }) => id)).toEqual([...ids.slice(1, -2), ids.at(-1)]);
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
