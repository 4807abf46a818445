import { beforeAll, describe, expect, it } from 'vitest';
import { recordControl } from '../../src/engine/audit/index.ts';
import { newId } from '../../src/engine/ids.ts';
import { prepare, subscribeTo } from '../../src/schema/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import {
  contextOf,
  insertFrame,
  insertRun,
  insertStep,
  query,
  type Recording,
  recordStatements,
  secretKey,
} from './fixtures.ts';

const test = useEngine();
let recording: Recording;
let projectId: string;
let other: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  other = await createTestProject(test.engine);
  recording = recordStatements(test.engine);
});

function ask(document: string, variables: object = {}): Promise<Record<string, unknown>> {
  recording.clear();
  return query(recording.engine, secretKey(projectId), document, variables as never);
}

const own = (): string[] => recording.statements.filter((each) => !each.startsWith('select '));

async function insertEvent(project = projectId): Promise<string> {
  const id = newId();
  const event = { id, projectId: project, name: 'paid', app: 'shop', source: 'api', triggered: [] };
  await test.db.prisma.event.create({ data: event as never });
  return id;
}

const handlerOf = (runId: string, failed: string) =>
  test.db.query({ text: 'update run set on_failure_of = $2 where id = $1', values: [runId, failed] });

async function insertEmit(runId: string, index: number, eventId: string): Promise<void> {
  await insertStep(test.engine, runId, { index, output: JSON.stringify({ eventId, runIds: [] }) });
  await test.db.query({
    text: `update run_step set op = 'Emit' where run_id = $1 and index = $2`,
    values: [runId, index],
  });
}

describe('a run', () => {
  it('leads to its original, to the top of its parents, and to the handler of its failure', async () => {
    const top = await insertRun(test.engine, projectId);
    const middle = await insertRun(test.engine, projectId, { parentRunId: top });
    const id = await insertRun(test.engine, projectId, { parentRunId: middle, replayOf: top, status: 'failed' });
    const handler = await insertRun(test.engine, projectId);
    await handlerOf(handler, id);
    const document = `query ($id: ID!) { run(id: $id) { original { id } root { id } failureHandler { id } } }`;
    expect(await ask(document, { id })).toEqual({
      run: { original: { id: top }, root: { id: top }, failureHandler: { id: handler } },
    });
    expect(await ask(document, { id: top })).toEqual({ run: { original: null, root: null, failureHandler: null } });
  });

  it('leads to no run of another project', async () => {
    const foreign = await insertRun(test.engine, other);
    const id = await insertRun(test.engine, projectId, { parentRunId: foreign, replayOf: foreign, status: 'failed' });
    await handlerOf(foreign, id);
    await insertRun(test.engine, other, { parentRunId: id });
    const eventId = await insertEvent();
    await insertEmit(id, 0, eventId);
    await insertRun(test.engine, other, { eventId });
    const document = `query ($id: ID!) { run(id: $id) {
      original { id } root { id } failureHandler { id } startedRuns { id } childCounts { total } } }`;
    const none = { original: null, failureHandler: null, startedRuns: [], childCounts: { total: 0 } };
    expect(await ask(document, { id })).toEqual({ run: { ...none, root: { id } } });
  });

  it('tells the events that started it: one, all of a batch, or none', async () => {
    const ids = [await insertEvent(), await insertEvent(), await insertEvent()];
    const one = await insertRun(test.engine, projectId, { eventId: ids[0] ?? null });
    const none = await insertRun(test.engine, projectId);
    const batch = await insertRun(test.engine, projectId, { eventId: ids[0] ?? null });
    const foreign = await insertEvent(other);
    // A stranger's data may hold what PostgreSQL cannot decode, and ids of other events.
    const data = `{"id":"${ids[2]}","text":"\\u0000\\ud800"}`;
    const events = [...ids.slice(0, 2), foreign].map((id) => `{"id":"${id}","name":"paid","data":${data}}`);
    await test.db.query({
      text: 'update run set events = $2::json where id = $1',
      values: [batch, `[${events.join()}]`],
    });
    const document = 'query ($id: ID!, $limit: Int) { run(id: $id) { events(limit: $limit) { id } } }';
    const found = async (id: string, limit?: number) => {
      const { run } = (await ask(document, { id, limit })) as { run: { events: { id: string }[] } };
      return run.events.map((event) => ids.indexOf(event.id));
    };
    expect(await found(one)).toEqual([0]);
    expect(await found(none)).toEqual([]);
    expect(await found(batch)).toEqual([0, 1]);
    expect(await found(batch, 1)).toEqual([0]);
  });

  it('tells the runs that its events started, oldest first, and counts its children by status', async () => {
    const id = await insertRun(test.engine, projectId);
    const [first, second] = [await insertEvent(), await insertEvent()];
    await insertEmit(id, 0, first);
    await insertEmit(id, 1, second);
    const started = [
      await insertRun(test.engine, projectId, { eventId: second, createdAt: new Date('2026-01-01') }),
      await insertRun(test.engine, projectId, { eventId: first, createdAt: new Date('2026-01-02') }),
    ];
    for (const status of ['failed', 'failed', 'running'] as const) {
      await insertRun(test.engine, projectId, { parentRunId: id, status });
    }
    const document = `query ($id: ID!) { run(id: $id) { startedRuns { id } one: startedRuns(limit: 1) { id }
      childCounts { total isCapped byStatus { failed running queued } } } }`;
    const [oldest] = started;
    expect(await ask(document, { id })).toEqual({
      run: {
        startedRuns: started.map((each) => ({ id: each })),
        one: [{ id: oldest }],
        childCounts: { total: 3, isCapped: false, byStatus: { failed: 2, running: 1, queued: 0 } },
      },
    });
  });

  it('that was cancelled tells by whom', async () => {
    const id = await insertRun(test.engine, projectId, { status: 'cancelled' });
    await recordControl(test.engine, { projectId, action: 'cancel', runId: id, actor: 'ops' });
    const open = await insertRun(test.engine, projectId);
    const document = 'query ($id: ID!) { run(id: $id) { cancelledBy { by actor runId } } }';
    expect(await ask(document, { id })).toEqual({
      run: { cancelledBy: { by: 'CALLER', actor: 'ops', runId: null } },
    });
    expect(await ask(document, { id: open })).toEqual({ run: { cancelledBy: null } });
  });

  it('counts at most 10000 children', async () => {
    const id = await insertRun(test.engine, projectId);
    await test.db.query({
      text: `insert into run (id, project_id, app, workflow, version, status, trigger_kind, parent_run_id, input)
             select uuidv7(), $2, 'shop', 'order', 'v1', 'queued', 'manual', $1, '{}' from generate_series(1, 10001)`,
      values: [id, projectId],
    });
    const document = 'query ($id: ID!) { run(id: $id) { childCounts { total isCapped } } }';
    expect(await ask(document, { id })).toEqual({ run: { childCounts: { total: 10_000, isCapped: true } } });
  });
});

describe('a list of runs', () => {
  it('with all these links takes one statement per kind of thing and level', async () => {
    for (let n = 0; n < 3; n += 1) {
      const eventId = await insertEvent();
      const parentRunId = await insertRun(test.engine, projectId);
      const replayOf = await insertRun(test.engine, projectId);
      await insertRun(test.engine, projectId, { session: 'linked', status: 'failed', eventId, parentRunId, replayOf });
    }
    await ask(`{ runs(filter: { session: "linked" }) { nodes {
      events { id } original { id } root { id } failureHandler { id } startedRuns { id } childCounts { total } } } }`);
    expect(own().sort()).toEqual([
      'countChildRuns',
      'selectBatchEvents',
      'selectEventRows',
      'selectFailureHandlers',
      'selectRootRuns',
      'selectRunRows',
      // The roots are known after the first level.
      'selectRunRows',
      'selectStartedRuns',
    ]);
  });
});

describe('a step that waits for an event', () => {
  it('tells its guard', async () => {
    const id = await insertRun(test.engine, projectId);
    const inputs = ['{"event":"paid","if":"event.data.n > 1"}', '{"event":"paid"}', '{"if":"x"}'];
    for (const [index, input] of inputs.entries()) {
      await insertStep(test.engine, id, { index, input });
      const op = index === 2 ? 'StepRun' : 'WaitForEvent';
      await test.db.query({
        text: 'update run_step set op = $3 where run_id = $1 and index = $2',
        values: [id, index, op],
      });
    }
    expect(await ask('query ($id: ID!) { run(id: $id) { steps { eventIf } } }', { id })).toEqual({
      run: { steps: [{ eventIf: 'event.data.n > 1' }, { eventIf: null }, { eventIf: null }] },
    });
  });
});

describe('a frame', () => {
  it('of a step leads to the attempt as it is now', async () => {
    const id = await insertRun(test.engine, projectId, { status: 'running' });
    const runAfter = new Date('2026-05-01T00:00:00Z');
    await insertStep(test.engine, id, { index: 0, attempt: 2, status: 'waiting', runAfter });
    const waiting = '{"step":"step 0","index":0,"attempt":2,"status":"waiting"}';
    await insertFrame(test.engine, id, { seq: 1, kind: 'run_status', payload: '{"status":"running"}' });
    await insertFrame(test.engine, id, { seq: 2, kind: 'step_status', payload: waiting });
    const gone = '{"step":"step 9","index":9,"attempt":1,"status":"running"}';
    await insertFrame(test.engine, id, { seq: 3, kind: 'step_status', payload: gone });
    const document = prepare(
      'subscription ($id: ID!) { runFrames(runId: $id) { seq runStep { name attempt status runAfter kind } } }',
    );
    const context = contextOf(test.engine, secretKey(projectId));
    const frames = await subscribeTo(document, { id }, context);
    const next = async () => (await frames.next()).value?.data?.runFrames;
    expect(await next()).toEqual({ seq: 1, runStep: null });
    expect(await next()).toEqual({
      seq: 2,
      runStep: { name: 'step 0', attempt: 2, status: 'WAITING', runAfter: runAfter.toISOString(), kind: 'RUN' },
    });
    expect(await next()).toEqual({ seq: 3, runStep: null });
    await frames.return?.();
  });
});
