import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../../src/engine/context.ts';
import type { Database } from '../../../src/engine/db/database.ts';
import { type RunStatusChange, tailProject } from '../../../src/engine/timeline/index.ts';
import { createTestEngine, createTestProject, type TestEngine } from '../../support/engine.ts';
import { isSettled, Journal, logLine, toStatus } from './journal.ts';

let test: TestEngine;
let engine: EngineContext;
let projectId: string;

beforeAll(async () => {
  test = await createTestEngine();
  engine = test.engine;
  projectId = await createTestProject(engine);
});
afterAll(() => test.close());

async function drain(changes: AsyncIterator<RunStatusChange>): Promise<RunStatusChange[]> {
  const seen: RunStatusChange[] = [];
  for (;;) {
    const next = changes.next();
    if (!(await isSettled(next))) {
      await changes.return?.();
      return seen;
    }
    const { value, done } = await next;
    if (done) return seen;
    seen.push(value);
  }
}

describe('the status stream of a project (4.5)', () => {
  it('tells of the transitions of all its runs, and of nothing else', async () => {
    const changes = tailProject(engine, { projectId });
    const [first, second] = [await Journal.start(engine, projectId), await Journal.start(engine, projectId)];
    const theirs = await Journal.start(engine, await createTestProject(engine));
    const [running] = await first.publish(toStatus('running'), logLine(0), toStatus('succeeded'));
    await theirs.publish(toStatus('running'));
    await second.publish(toStatus('cancelled'));
    const seen = await drain(changes);
    expect(seen.map(({ runId, status }) => [runId, status])).toEqual([
      [first.runId, 'running'],
      [first.runId, 'succeeded'],
      [second.runId, 'cancelled'],
    ]);
    expect(seen[0]).toEqual({ runId: first.runId, app: 'shop', workflow: 'order', status: 'running', ts: running?.ts });
  });

  it.each([{ app: 'other' }, { workflow: 'other' }])('narrowed to %j it leaves out the rest', async (filter) => {
    const changes = tailProject(engine, { projectId, ...filter });
    const journal = await Journal.start(engine, projectId);
    await journal.publish(toStatus('running'));
    expect(await drain(changes)).toEqual([]);
  });

  it('a hint that names no frames is looked up, and order and number stay right', async () => {
    const changes = tailProject(engine, { projectId });
    const journal = await Journal.start(engine, projectId);
    await journal.publish(toStatus('running'));
    const waiting = await journal.commit(toStatus('waiting'), logLine(0));
    journal.tell([]);
    const queued = await journal.publish(toStatus('queued'));
    journal.tell([...waiting, ...queued]);
    await journal.publish(toStatus('running'));
    await journal.publish(toStatus('failed'));
    const seen: string[] = [];
    for await (const { status } of changes) {
      seen.push(status);
      if (status === 'failed') break;
    }
    expect(seen).toEqual(['running', 'waiting', 'queued', 'running', 'failed']);
  });

  it('of a run that it has not told of yet, a hint without frames tells the newest status only', async () => {
    const journal = await Journal.start(engine, projectId);
    const changes = tailProject(engine, { projectId });
    await journal.commit(toStatus('running'), toStatus('succeeded'));
    journal.tell([]);
    expect((await changes.next()).value).toMatchObject({ runId: journal.runId, status: 'succeeded' });
    journal.tell([]);
    const next = changes.next();
    expect(await isSettled(next)).toBe(false);
    await changes.return?.();
  });

  it('of what had happened before it began, nothing is told, whatever a hint was about', async () => {
    const journal = await Journal.start(engine, projectId);
    await journal.commit(toStatus('running'));
    await engine.db.query(`update run_frame set ts = ts - interval '1 s' where run_id = $1`, [journal.runId]);
    const changes = tailProject(engine, { projectId });
    // A mark for a pause changes no status, nor does a step that ends.
    journal.tell([]);
    await journal.commit(logLine(0));
    journal.tell([]);
    await journal.commit(toStatus('paused'));
    journal.tell([]);
    expect((await changes.next()).value).toMatchObject({ runId: journal.runId, status: 'paused' });
    await changes.return?.();
  });

  it('who comes while a hint is looked up is told of what happens from then on', async () => {
    let asked = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    let answer = (): void => undefined;
    const mayAnswer = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let date = (): void => undefined;
    let mayDate = Promise.resolve();
    const db: Database = Object.create(engine.db, {
      query: {
        value: async (query: { name: string }) => {
          if (query.name === 'readLatestStatuses') {
            asked();
            await mayAnswer;
          }
          const rows = await engine.db.query(query as never);
          if (query.name === 'readClock') await mayDate;
          return rows;
        },
      },
    });
    const slow = { ...engine, db };
    const first = tailProject(slow, { projectId });
    const journal = await Journal.start(engine, projectId);
    journal.tell([]);
    await isAsked;
    mayDate = new Promise((resolve) => {
      date = resolve;
    });
    const second = tailProject(slow, { projectId });
    await journal.commit(toStatus('running'));
    answer();
    const told = first.next();
    for (let turn = 0; turn < 50 && !(await isSettled(told)); turn += 1) await engine.db.query('select 1');
    date();
    expect((await told).value).toMatchObject({ status: 'running' });
    const next = second.next();
    for (let turn = 0; turn < 50 && !(await isSettled(next)); turn += 1) await engine.db.query('select 1');
    await Promise.all([first.return?.(), second.return?.()]);
    expect((await next).value).toMatchObject({ runId: journal.runId, status: 'running' });
  });

  it('a reader that falls too far behind is cut off', async () => {
    const changes = tailProject(engine, { projectId });
    const journal = await Journal.start(engine, projectId);
    const [frame] = await journal.commit(toStatus('running'));
    if (!frame) throw new Error('no frame');
    for (let count = 0; count < 1001; count++) journal.tell([{ ...frame, seq: frame.seq + count }]);
    expect((await changes.next()).done).toBe(true);
  });

  it('ends with its signal', async () => {
    const abort = new AbortController();
    const changes = tailProject(engine, { projectId, signal: abort.signal });
    const next = changes.next();
    abort.abort();
    expect((await next).done).toBe(true);
  });
});
