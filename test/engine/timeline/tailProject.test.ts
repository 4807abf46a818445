import { beforeAll, describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import type { Database } from '../../../src/engine/db/database.ts';
import { type RunStatusChange, tailProject } from '../../../src/engine/timeline/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { complete, memoOf, type Script, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';
import { isSettled, Journal, logLine, toStatus } from './journal.ts';

const test = useEngine();
let engine: EngineContext;
let projectId: string;

beforeAll(async () => {
  engine = test.engine;
  projectId = await createTestProject(engine);
});

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

/** An engine that counts its look-ups. */
function counting(): { counted: EngineContext; lookUps: () => number } {
  let lookUps = 0;
  const query = (asked: { name: string }) => {
    if (asked.name === 'readLatestStatuses') lookUps += 1;
    return engine.db.query(asked as never);
  };
  const db: Database = Object.create(engine.db, { query: { value: query } });
  return { counted: { ...engine, db }, lookUps: () => lookUps };
}

/** Reads up to a status that comes for sure. */
async function readUntil(changes: AsyncIterable<RunStatusChange>, last: string): Promise<string[]> {
  const seen: string[] = [];
  for await (const { status } of changes) {
    seen.push(status);
    if (status === last) break;
  }
  return seen;
}

describe('the status stream of a project (4.5)', () => {
  it('delivers exactly the transitions of its runs', async () => {
    const changes = tailProject(engine, { projectId });
    const [first, second] = [await Journal.start(engine, projectId), await Journal.start(engine, projectId)];
    const theirs = await Journal.start(engine, await createTestProject(engine));
    const [running] = await first.publish(toStatus('running'), logLine(0), toStatus('succeeded'));
    await theirs.publish(toStatus('running'));
    await second.publish(toStatus('cancelled'));
    const seen = await drain(changes);
    expect(seen.map(({ runId, status }) => [runId, status])).toEqual([
      [first.runId, 'queued'],
      [second.runId, 'queued'],
      [first.runId, 'running'],
      [first.runId, 'succeeded'],
      [second.runId, 'cancelled'],
    ]);
    expect(seen[2]).toEqual({ runId: first.runId, app: 'shop', workflow: 'order', status: 'running', ts: running?.ts });
  });

  it.each([{ app: 'other' }, { workflow: 'other' }])('narrowed to %j it leaves out the rest', async (filter) => {
    const changes = tailProject(engine, { projectId, ...filter });
    const journal = await Journal.start(engine, projectId);
    await journal.publish(toStatus('running'));
    expect(await drain(changes)).toEqual([]);
  });

  it('H1: a hint that names no frames is looked up, and order and number stay right', async () => {
    const changes = tailProject(engine, { projectId });
    const journal = await Journal.start(engine, projectId);
    await journal.publish(toStatus('running'));
    const waiting = await journal.commit(toStatus('waiting'), logLine(0));
    journal.hint();
    const queued = await journal.publish(toStatus('queued'));
    journal.tell([...waiting, ...queued]);
    await journal.publish(toStatus('running'));
    await journal.publish(toStatus('failed'));
    expect(await readUntil(changes, 'failed')).toEqual(['queued', 'running', 'waiting', 'queued', 'running', 'failed']);
  });

  it('H2: a run that is claimed before its start is looked up is delivered from its start', async () => {
    const changes = tailProject(engine, { projectId });
    const { journal } = await Journal.startUnheard(engine, projectId);
    const running = await journal.commit(toStatus('running'));
    journal.hint();
    journal.tell(running);
    await journal.publish(toStatus('succeeded'));
    expect(await readUntil(changes, 'succeeded')).toEqual(['queued', 'running', 'succeeded']);
  });

  it('a start that is announced after later changes is delivered first, and once', async () => {
    const changes = tailProject(engine, { projectId });
    const { journal, start } = await Journal.startUnheard(engine, projectId);
    await journal.publish(toStatus('running'));
    journal.tell(start);
    const waiting = await journal.commit(toStatus('waiting'));
    await journal.publish(toStatus('queued'));
    journal.tell(waiting);
    await journal.publish(toStatus('cancelled'));
    expect(await readUntil(changes, 'cancelled')).toEqual(['queued', 'running', 'waiting', 'queued', 'cancelled']);
  });

  it('H2: frames without a gap before them are delivered without a query', async () => {
    const { counted, lookUps } = counting();
    const changes = tailProject(counted, { projectId });
    const journal = await Journal.start(engine, projectId);
    await journal.publish(toStatus('running'));
    await journal.publish(logLine(0), logLine(1));
    await journal.publish(logLine(2), toStatus('succeeded'));
    expect(await readUntil(changes, 'succeeded')).toEqual(['queued', 'running', 'succeeded']);
    expect(lookUps()).toBe(0);
  });

  it('frames that a look-up has read need no second look-up', async () => {
    const { counted, lookUps } = counting();
    const changes = tailProject(counted, { projectId });
    const { journal } = await Journal.startUnheard(engine, projectId);
    await journal.commit(toStatus('running'), logLine(0));
    journal.hint();
    expect((await changes.next()).value).toMatchObject({ status: 'queued' });
    await journal.publish(logLine(1), toStatus('succeeded'));
    expect(await readUntil(changes, 'succeeded')).toEqual(['running', 'succeeded']);
    expect(lookUps()).toBe(1);
  });

  it('a hint without frames delivers each later status, once', async () => {
    const changes = tailProject(engine, { projectId });
    const { journal } = await Journal.startUnheard(engine, projectId);
    await journal.commit(toStatus('running'), toStatus('succeeded'));
    journal.hint();
    expect(await readUntil(changes, 'succeeded')).toEqual(['queued', 'running', 'succeeded']);
    const later = tailProject(engine, { projectId });
    journal.hint();
    const next = later.next();
    expect(await isSettled(next)).toBe(false);
    await later.return?.();
  });

  it('H3: changes from before it began are not delivered, whatever the cause of a hint', async () => {
    const journal = await Journal.start(engine, projectId);
    await journal.commit(toStatus('running'));
    await engine.db.query(`update run_frame set ts = ts - interval '1 s' where run_id = $1`, [journal.runId]);
    const changes = tailProject(engine, { projectId });
    // A mark for a pause changes no status, nor does a step that ends.
    journal.hint();
    await journal.commit(logLine(0));
    journal.hint();
    await journal.commit(toStatus('paused'));
    journal.hint();
    expect((await changes.next()).value).toMatchObject({ runId: journal.runId, status: 'paused' });
    await changes.return?.();
  });

  it('H3: a follower that joins during a look-up gets the changes from then on', async () => {
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
    expect((await first.next()).value).toMatchObject({ status: 'queued' });
    journal.hint();
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

  it('a commit that starts more than a thousand runs cuts off no reader that keeps up', async () => {
    const crowd = await createTestProject(engine);
    const names = ['one', 'two', 'three'].map((name) => ({ name, triggers: [{ event: 'many' }] }));
    await registerWorkflows(engine, crowd, [{ name: 'parent' }, ...names]);
    await triggerWorkflow(engine, { projectId: crowd, app: 'default', name: 'parent', input: {} });
    const emits = Array.from({ length: 400 }, (_, n) => ({ op: 'Emit' as const, name: `e${n}`, eventName: 'many' }));
    const script: Script = (request) => (memoOf(request, 'e0') ? complete(null) : steps(emits));
    const dispatcher = await new ScriptedDispatcher(engine, script).start();
    const changes = tailProject(engine, { projectId: crowd });
    const pass = (await dispatcher.claim()).find((each) => each.projectId === crowd);
    if (!pass) throw new Error('the parent was not claimed');
    const told = dispatcher.drive(pass);
    let queued = 0;
    for await (const { status } of changes) if (status === 'queued' && ++queued === 1200) break;
    await told;
    expect(queued).toBe(1200);
  });

  it('a reader that falls too far behind is cut off', async () => {
    const changes = tailProject(engine, { projectId });
    const journal = await Journal.start(engine, projectId);
    const [frame] = await journal.commit(toStatus('running'));
    if (!frame) throw new Error('no frame');
    for (let count = 0; count < 10_001; count++) journal.tell([{ ...frame, seq: frame.seq + count }]);
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
