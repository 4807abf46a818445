import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EngineContext } from '../../../src/engine/context.ts';
import type { Database } from '../../../src/engine/db/database.ts';
import type { RunStatus } from '../../../src/engine/runs/status.ts';
import { type StatusChanges, tailStatusChanges } from '../../../src/engine/timeline/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { isSettled, Journal, toStatus } from './journal.ts';

const test = useEngine();
let engine: EngineContext;
let projectId: string;
const opened: AsyncIterableIterator<StatusChanges>[] = [];

beforeEach(async () => {
  engine = test.engine;
  projectId = await createTestProject(engine);
});
afterEach(async () => {
  vi.useRealTimers();
  for (const each of opened.splice(0)) await each.return?.();
});

type Query = Omit<Parameters<typeof tailStatusChanges>[1], 'projectId'>;

function open(query: Query = {}, on = engine, project = projectId): AsyncIterableIterator<StatusChanges> {
  const tail = tailStatusChanges(on, { projectId: project, intervalMs: 0, ...query });
  opened.push(tail);
  return tail;
}

async function next(tail: AsyncIterator<StatusChanges>): Promise<StatusChanges> {
  const { value, done } = await tail.next();
  if (done) throw new Error('the stream has ended');
  return value;
}

const statusesOf = ({ changes }: StatusChanges): RunStatus[] => changes.map(({ status }) => status);

describe('the first message', () => {
  it('comes at once, with a cursor and no changes', async () => {
    expect(await next(open())).toEqual({ changes: [], cursor: expect.any(String), isGap: false });
  });

  it('after a cursor has what was missed, each change once, also where nobody was connected', async () => {
    const first = open();
    const journal = await Journal.start(engine, projectId);
    await next(first);
    await journal.publish(toStatus('running'));
    const { cursor } = await next(first);
    await first.return?.();
    await journal.publish(toStatus('waiting'));
    await journal.publish(toStatus('queued'), toStatus('running'));
    const second = open({ after: cursor });
    const missed = await next(second);
    expect([statusesOf(missed), missed.isGap]).toEqual([['waiting', 'queued', 'running'], false]);
    await journal.publish(toStatus('succeeded'));
    expect(statusesOf(await next(second))).toEqual(['succeeded']);
  });

  it('is a gap where the cursor is of another process', async () => {
    const { cursor } = await next(open());
    const other = { ...engine };
    const gap = await next(open({ after: cursor }, other));
    expect(gap).toMatchObject({ changes: [], isGap: true });
    expect(await next(open({ after: gap.cursor }, other))).toMatchObject({ isGap: false });
  });

  it("is a gap where the cursor is of another project, and tells nothing of that project's runs", async () => {
    const { cursor } = await next(open());
    await Journal.start(engine, projectId);
    const stranger = await createTestProject(engine);
    expect(await next(open({ after: cursor }, engine, stranger))).toMatchObject({ changes: [], isGap: true });
  });

  it('is a gap where more changes followed than the log holds', async () => {
    const first = open();
    const { cursor } = await next(first);
    const journal = await Journal.start(engine, projectId);
    const [frame] = await journal.commit(toStatus('running'));
    if (!frame) throw new Error('no frame');
    for (let n = 0; n < 10_001; n++) journal.tell([{ ...frame, seq: frame.seq + n }]);
    expect(await next(open({ after: cursor }))).toMatchObject({ changes: [], isGap: true });
    // A reader that fell so far behind is not cut off.
    expect(await next(first)).toMatchObject({ isGap: true });
  });

  it('is refused with a damaged cursor, and with an interval out of range', () => {
    expect(() => open({ after: 'nonsense' })).toThrow(/cursor is damaged/);
    for (const intervalMs of [-1, 0.5, 60_001]) expect(() => open({ intervalMs })).toThrow(/intervalMs must be/);
  });
});

describe('later messages', () => {
  it('have the wanted changes only, and move the cursor on', async () => {
    const failures = open({ statuses: ['failed'] });
    const others = open({ workflow: 'other' });
    const before = (await next(failures)).cursor;
    await next(others);
    const journal = await Journal.start(engine, projectId);
    await journal.publish(toStatus('running'));
    await journal.publish(toStatus('failed'));
    const told = await next(failures);
    expect(statusesOf(told)).toEqual(['failed']);
    expect(told.cursor).not.toBe(before);
    expect(await isSettled(others.next())).toBe(false);
  });

  it('hold many changes, 500 at most', async () => {
    const tail = open();
    await next(tail);
    const journal = await Journal.start(engine, projectId);
    const [frame] = await journal.commit(toStatus('running'));
    if (!frame) throw new Error('no frame');
    for (let n = 0; n < 600; n++) journal.tell([{ ...frame, seq: frame.seq + n }]);
    const sizes = [(await next(tail)).changes.length, (await next(tail)).changes.length];
    expect(sizes).toEqual([500, 101]);
  });

  it('keep their interval, and gather what happens meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const tail = open({ intervalMs: 1000 });
    await next(tail);
    const waiting = tail.next();
    // Heard from its first frame on, so that no look-up tells the latest status alone.
    const journal = await Journal.start(engine, projectId);
    await journal.publish(toStatus('running'));
    await journal.publish(toStatus('waiting'));
    vi.advanceTimersByTime(999);
    expect(await isSettled(waiting)).toBe(false);
    vi.advanceTimersByTime(2);
    expect(statusesOf((await waiting).value)).toEqual(['queued', 'running', 'waiting']);
  });

  it('say that changes were missed where a look-up failed', async () => {
    const query = (asked: { name: string }) =>
      asked.name === 'readLatestStatuses' ? Promise.reject(new Error('gone')) : engine.db.query(asked as never);
    const db: Database = Object.create(engine.db, { query: { value: query } });
    const tail = open({}, { ...engine, db });
    await next(tail);
    const { journal } = await Journal.startUnheard(engine, projectId);
    journal.hint();
    const gap = await next(tail);
    expect(gap).toMatchObject({ changes: [], isGap: true });
    expect(await isSettled(tail.next())).toBe(false);
  });
});

it('a log is kept for two minutes after its last reader left', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const first = open();
  const { cursor } = await next(first);
  await first.return?.();
  vi.advanceTimersByTime(119_000);
  const second = open({ after: cursor });
  expect(await next(second)).toMatchObject({ isGap: false });
  await second.return?.();
  vi.advanceTimersByTime(121_000);
  expect(await next(open({ after: cursor }))).toMatchObject({ isGap: true });
});

it('a reader that leaves ends its wait', async () => {
  const tail = open({ intervalMs: 60_000 });
  await next(tail);
  const waiting = tail.next();
  await tail.return?.();
  expect((await waiting).done).toBe(true);
});
