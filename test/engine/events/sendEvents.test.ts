import { beforeAll, describe, expect, it } from 'vitest';
import {
  type EventAnswer,
  type EventInput,
  maxStartsPerCall,
  sendEvent,
  sendEvents,
} from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { updateProject } from '../../../src/engine/projects/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { complete, memoOf, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();
let projectId: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [
    { name: 'exact', triggers: [{ event: 'order.paid' }] },
    { name: 'wild', triggers: [{ event: 'order.*' }] },
    { name: 'guarded', triggers: [{ event: 'order.paid', if: 'data.total > 100' }] },
    { name: 'one', singleton: { mode: 'skip' } },
    { name: 'newest', singleton: {} },
    { name: 'once', idempotency: { key: 'id', periodMs: 60_000 } },
    { name: 'late', debounce: { periodMs: 60_000 } },
    { name: 'braked', rateLimit: { limit: 2, perMs: 3_600_000 } },
  ]);
});

const sendAll = (inputs: EventInput[], project = projectId) => sendEvents(test.engine, { projectId: project, inputs });
const workflowsOf = ({ triggered }: EventAnswer) => triggered.map(({ workflow }) => workflow);
const countEvents = (project = projectId) => test.db.prisma.event.count({ where: { projectId: project } });
const data = (value: unknown) => RawJson.of(value);

describe('events sent together', () => {
  it('are each answered as if sent alone, in their order', async () => {
    const answers = await sendAll([
      { name: 'order.paid', data: data({ total: 5 }) },
      { name: 'nobody.cares' },
      { name: 'order.paid', data: data({ total: 500 }), tags: { tenant: 'acme' }, session: 's' },
      { name: 'order.' },
    ]);
    expect(answers.map(workflowsOf)).toEqual([['exact', 'wild'], [], ['exact', 'guarded', 'wild'], ['wild']]);
    for (const { runId, triggered } of answers) expect(runId).toBe(triggered[0]?.runId);
    expect(new Set(answers.map(({ eventId }) => eventId)).size).toBe(4);
    const run = await test.db.prisma.run.findUniqueOrThrow({ where: { id: answers[2]?.runId ?? '' } });
    expect(run).toMatchObject({ eventId: answers[2]?.eventId, tags: { tenant: 'acme' }, session: 's' });
    const ids = answers.map(({ eventId }) => eventId);
    const recorded = await test.db.prisma.event.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
    expect(recorded.map(({ id }) => id)).toEqual(ids);
    expect(recorded[1]).toMatchObject({ name: 'nobody.cares', source: 'api', triggered: [] });
  });

  it('are recorded all or none: a bad one is named by its index and field', async () => {
    const before = await countEvents();
    const good = { name: 'order.paid' };
    for (const [bad, message] of [
      [{ name: ' ' }, 'events[2]: name is required and must not be blank'],
      [{ name: 'x', tags: { 'a b': '1' } }, 'events[2]: tags: a key must be 1 to 64 characters of A-Z a-z 0-9 _ . -'],
      [{ name: 'x', session: 's'.repeat(257) }, 'events[2]: session may be at most 256 characters long'],
      [{ name: 'x', targetApp: 'nowhere' }, 'events[2]: event names an unregistered workflow'],
    ] as const)
      await expect(sendAll([good, good, bad, good])).rejects.toMatchObject({ kind: 'invalid', message });
    expect(await countEvents()).toBe(before);
  });

  it('are 1 to 1000', async () => {
    await expect(sendAll([])).rejects.toThrow('events must hold at least one event');
    const many = Array.from({ length: 1_001 }, () => ({ name: 'x' }));
    await expect(sendAll(many)).rejects.toThrow('events may hold at most 1000 events');
  });

  it('drop repeats of a dedupeId, of earlier calls and of the same one', async () => {
    const first = await sendEvent(test.engine, { projectId, input: { name: 'order.', dedupeId: 'before' } });
    const answers = await sendAll([
      { name: 'order.', dedupeId: 'before' },
      { name: 'order.', dedupeId: 'within' },
      { name: 'order.', dedupeId: 'within' },
      { name: 'order.', dedupeId: 'within', app: 'other' },
      { name: 'order.' },
    ]);
    expect(answers.map(({ deduped }) => deduped)).toEqual([true, false, true, false, false]);
    expect(answers[0]).toMatchObject({ eventId: first.eventId, existingRunId: first.runId, triggered: [] });
    expect(answers[2]).toMatchObject({ eventId: answers[1]?.eventId, existingRunId: answers[1]?.runId, woke: 0 });
  });

  it('meet flow control one after the other', async () => {
    const answers = await sendAll([
      { name: 'one' },
      { name: 'one' },
      { name: 'once', data: data({ id: 7 }) },
      { name: 'once', data: data({ id: 7 }) },
      { name: 'once', data: data({ id: 8 }), dedupeId: 'beside a gate' },
      { name: 'once', data: data({ id: 9 }), dedupeId: 'beside a gate' },
      { name: 'late' },
      { name: 'late' },
      { name: 'braked' },
      { name: 'braked' },
      { name: 'braked' },
    ]);
    const outcomes = answers.map(({ triggered: [outcome] }) => outcome);
    expect(outcomes[1]).toMatchObject({ skipped: true, existingRunId: outcomes[0]?.runId });
    expect(outcomes[3]).toMatchObject({ deduped: true, existingRunId: outcomes[2]?.runId });
    expect(answers[5]).toMatchObject({ deduped: true, eventId: answers[4]?.eventId });
    expect(outcomes.slice(6, 8)).toMatchObject([{ debounced: true }, { debounced: true }]);
    expect(outcomes.slice(8).map((outcome) => outcome?.dropped ?? false)).toEqual([false, false, true]);
    const buffered = await test.db.prisma.flowBuffer.findMany({ where: { projectId } });
    expect(buffered).toHaveLength(1);
  });

  it('displace the runs of earlier ones if the newest of a singleton wins', async () => {
    const answers = await sendAll([{ name: 'newest' }, { name: 'newest' }, { name: 'newest' }]);
    const ids = answers.map(({ runId }) => runId ?? '');
    const runs = await test.db.prisma.run.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
    expect(runs.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'queued']);
  });

  it('start nothing in a suspended project, and are recorded', async () => {
    const suspended = await createTestProject(test.engine);
    await registerWorkflows(test.engine, suspended, [{ name: 'greet' }]);
    await updateProject(test.engine, { id: suspended, suspended: true });
    const answers = await sendAll([{ name: 'greet' }, { name: 'greet' }], suspended);
    expect(answers).toMatchObject([
      { suspended: true, triggered: [{ workflow: 'greet' }] },
      { suspended: true, triggered: [{ workflow: 'greet' }] },
    ]);
    expect(await test.db.prisma.run.count({ where: { projectId: suspended } })).toBe(0);
    expect(await countEvents(suspended)).toBe(2);
  });

  it('wake waiting runs: of two that match, the first one', async () => {
    const project = await createTestProject(test.engine);
    await registerWorkflows(test.engine, project, [{ name: 'buyer' }]);
    const runner = await new ScriptedDispatcher(test.engine, (request) => {
      const reply = memoOf(request, 'answer');
      return reply && 'data' in reply
        ? complete(reply.data)
        : steps([{ op: 'WaitForEvent', name: 'answer', eventName: 'reply' }]);
    }).start();
    const { runId } = await sendEvent(test.engine, { projectId: project, input: { name: 'buyer' } });
    await runner.runOnce();
    const answers = await sendAll(
      [{ name: 'other' }, { name: 'reply', data: data(1) }, { name: 'reply', data: data(2) }],
      project,
    );
    expect(answers.map(({ woke }) => woke)).toEqual([0, 1, 0]);
    await runner.runOnce();
    const run = await test.db.prisma.run.findUniqueOrThrow({ where: { id: runId ?? '' } });
    expect(run).toMatchObject({ status: 'succeeded', result: { id: answers[1]?.eventId, data: 1 } });
  });
});

describe('a call that starts many runs', () => {
  it('records them in several statements of one transaction', async () => {
    const project = await createTestProject(test.engine);
    const names = Array.from({ length: 12 }, (_, index) => `w${index}`);
    await registerWorkflows(
      test.engine,
      project,
      names.map((name) => ({ name, triggers: [{ event: 'fan' }] })),
    );
    const events = Array.from({ length: 100 }, (_, index) => ({ name: 'fan', dedupeId: String(index % 90) }));
    const answers = await sendAll(events, project);
    expect(answers.filter(({ deduped }) => deduped)).toHaveLength(10);
    expect(await test.db.prisma.run.count({ where: { projectId: project } })).toBe(90 * 12);
    const rows = await test.db.pool.query(
      'select count(distinct xmin::text)::int as commits from event where project_id = $1',
      [project],
    );
    expect(rows.rows).toEqual([{ commits: 1 }]);
  });

  it(`is refused beyond ${maxStartsPerCall} starts, and records nothing`, async () => {
    const project = await createTestProject(test.engine);
    const names = Array.from({ length: 11 }, (_, index) => `w${index}`);
    await registerWorkflows(
      test.engine,
      project,
      names.map((name) => ({ name, triggers: [{ event: 'fan' }] })),
    );
    const events = Array.from({ length: 1_000 }, () => ({ name: 'fan' }));
    await expect(sendAll(events, project)).rejects.toMatchObject({
      kind: 'invalid',
      message: 'events may start at most 10000 runs together: send them in several calls',
    });
    expect(await countEvents(project)).toBe(0);
  });
});
