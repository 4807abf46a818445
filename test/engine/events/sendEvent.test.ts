import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { type EventInput, recoverPending, sendEvent } from '../../../src/engine/events/index.ts';
import { claimKeys } from '../../../src/engine/flow/sql/claimKeys.ts';
import { newId } from '../../../src/engine/ids.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { updateProject } from '../../../src/engine/projects/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { somebodyWaits } from '../../support/lockWaits.ts';
import { complete, memoOf, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();
let projectId: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [
    { name: 'implicit' },
    { name: 'braked', rateLimit: { limit: 1_000, perMs: 1_000 } },
    { name: 'exact', triggers: [{ event: 'order.paid' }] },
    { name: 'wild', triggers: [{ event: 'order.*' }] },
    { name: 'guarded', triggers: [{ event: 'order.paid', if: 'data.total > 100' }] },
  ]);
});
afterAll(async () => {
  onFailPoint(undefined);
});

const send = (input: EventInput, project = projectId) => sendEvent(test.engine, { projectId: project, input });
const names = (answer: { triggered: readonly { workflow: string }[] }) => answer.triggered.map((each) => each.workflow);
const record = (id: string | undefined) => test.db.prisma.event.findUniqueOrThrow({ where: { id: id ?? '' } });

describe('an event', () => {
  it('starts every workflow whose trigger matches: exactly, by wildcard, by its guard', async () => {
    expect(names(await send({ name: 'order.paid', data: RawJson.of({ total: 5 }) }))).toEqual(['exact', 'wild']);
    expect(names(await send({ name: 'order.paid', data: RawJson.of({ total: 500 }) }))).toEqual([
      'exact',
      'guarded',
      'wild',
    ]);
    expect(names(await send({ name: 'order.' }))).toEqual(['wild']);
  });

  it('starts a workflow without triggers that has its name', async () => {
    const answer = await send({ name: 'implicit', data: RawJson.of({ n: 1 }), tags: { who: 'me' }, session: 's-1' });
    expect(names(answer)).toEqual(['implicit']);
    const run = await test.db.prisma.run.findUniqueOrThrow({ where: { id: answer.runId ?? '' } });
    expect(run).toMatchObject({ triggerKind: 'event', eventName: 'implicit', eventId: answer.eventId });
    expect(run).toMatchObject({
      tags: { who: 'me' },
      session: 's-1',
      input: { n: 1 },
      status: 'queued',
      version: expect.any(String),
    });
  });

  it('is recorded with its triggered runs, even if there are none', async () => {
    const nothing = await send({ name: 'nobody.cares' });
    expect(nothing).toMatchObject({ triggered: [], woke: 0, runId: undefined });
    expect(await record(nothing.eventId)).toMatchObject({
      name: 'nobody.cares',
      app: 'default',
      source: 'api',
      triggered: [],
    });
    const one = await send({ name: 'implicit' });
    expect((await record(one.eventId)).triggered).toEqual([{ app: 'default', workflow: 'implicit', runId: one.runId }]);
  });

  it('is dropped entirely if its dedupeId was seen for its app', async () => {
    const first = await send({ name: 'implicit', dedupeId: 'd-1' });
    const again = await send({ name: 'implicit', dedupeId: 'd-1' });
    expect(again).toMatchObject({ deduped: true, eventId: first.eventId, triggered: [], runId: undefined });
    expect((await send({ name: 'implicit', dedupeId: 'd-1', app: 'other' })).deduped).toBe(false);
    expect(await test.db.prisma.event.count({ where: { projectId, dedupeId: 'd-1' } })).toBe(2);
  });

  it('is recorded once if many arrive at once with one dedupeId', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => send({ name: 'implicit', dedupeId: 'race' })));
    expect(answers.filter((answer) => !answer.deduped)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.eventId)).size).toBe(1);
    expect(await test.db.prisma.event.count({ where: { projectId, dedupeId: 'race' } })).toBe(1);
  });

  it.each(['implicit', 'braked'])(
    'returns the first event of %s, even if that commits during the wait',
    async (name) => {
      const [dedupeId, refId] = [`meeting-${name}`, newId()];
      const claim = { projectId, scope: 'event:default', key: dedupeId, refId, windowMs: 60_000 };
      const second = await test.db.transaction(async (tx) => {
        await claimKeys(tx, { claims: [claim], now: null });
        const sent = send({ name, dedupeId });
        await somebodyWaits(test.db);
        return { sent };
      });
      expect(await second.sent).toMatchObject({ deduped: true, eventId: refId });
    },
  );

  it('is refused if it names an app without a matching workflow, or a runner that never registered', async () => {
    const refusal = 'event names an unregistered workflow';
    await expect(send({ name: 'implicit', targetApp: 'elsewhere' })).rejects.toThrow(refusal);
    await expect(send({ name: 'unheard', targetApp: 'default' })).rejects.toThrow(refusal);
    await expect(send({ name: 'implicit', runner: 'ghost' })).rejects.toThrow(refusal);
    expect(names(await send({ name: 'implicit', targetApp: 'default', runner: 'runner-1' }))).toEqual(['implicit']);
  });

  it('starts only workflows that its named runner registered, and is refused if there are none', async () => {
    const project = await createTestProject(test.engine);
    const triggers = [{ event: 'both' }];
    await registerWorkflows(test.engine, project, [{ name: 'a', triggers }], { runner: 'r1' });
    await registerWorkflows(test.engine, project, [{ name: 'b', triggers }, { name: 'only-b' }], { runner: 'r2' });
    expect(names(await send({ name: 'both' }, project))).toEqual(['a', 'b']);
    expect(names(await send({ name: 'both', runner: 'r1' }, project))).toEqual(['a']);
    expect(names(await send({ name: 'only-b', runner: 'r2' }, project))).toEqual(['only-b']);
    const refusal = 'event names an unregistered workflow';
    await expect(send({ name: 'only-b', runner: 'r1' }, project)).rejects.toThrow(refusal);
    await expect(send({ name: 'only-b', runner: 'r2', targetApp: 'elsewhere' }, project)).rejects.toThrow(refusal);
  });

  it('is refused with a character that cannot be stored, or a field that is too long', async () => {
    const refusal = 'unsupported character in event';
    await expect(send({ name: 'a\u0007b' })).rejects.toThrow(refusal);
    await expect(send({ name: 'x', data: RawJson.trusted('{"k":"\\u0000"}') })).rejects.toThrow(refusal);
    await expect(send({ name: 'x', data: RawJson.trusted('{"\\ud800":1}') })).rejects.toThrow(refusal);
    await expect(send({ name: 'x', session: 's\0' })).rejects.toThrow(refusal);
    await expect(send({ name: 'n'.repeat(257) })).rejects.toThrow('name may be at most 256 characters long');
    await expect(send({ name: '  ' })).rejects.toThrow('name is required');
    await expect(send({ name: 'x', tags: { 'a b': '1' } })).rejects.toThrow('tags');
  });

  it('keeps its payload unchanged', async () => {
    const text = '{"big":12345678901234567890,"huge":1e400,"zero":-0,"__proto__":{"x":1},"b":1,"a":2}';
    const { eventId, runId } = await send({ name: 'implicit', data: RawJson.trusted(text) });
    const { rows } = await test.db.query(
      'select e.data::text, r.input::text from event e join run r on r.id = $2 where e.id = $1',
      [eventId, runId],
    );
    expect(rows).toEqual([{ data: text, input: text }]);
  });

  it('starts no run in a suspended project, is recorded, and still wakes its waiters', async () => {
    const project = await createTestProject(test.engine);
    await registerWorkflows(test.engine, project, [{ name: 'flow' }]);
    const dispatcher = await new ScriptedDispatcher(test.engine, (request) =>
      memoOf(request, 'w') ? complete('woken') : steps([{ op: 'WaitForEvent', name: 'w', eventName: 'go' }]),
    ).start();
    await triggerWorkflow(test.engine, { projectId: project, app: 'default', name: 'flow', input: {} });
    await dispatcher.runOnce();
    await updateProject(test.engine, { id: project, suspended: true });
    const answer = await send({ name: 'go' }, project);
    expect(answer).toMatchObject({ suspended: true, woke: 1, runId: undefined });
    const flow = await send({ name: 'flow', dedupeId: 'd' }, project);
    expect(flow).toMatchObject({ suspended: true, runId: undefined });
    expect(await send({ name: 'flow', dedupeId: 'd' }, project)).toMatchObject({
      suspended: true,
      deduped: true,
      eventId: flow.eventId,
    });
    expect(await record(answer.eventId)).toMatchObject({ suspended: true, woke: 1 });
    await expect(
      triggerWorkflow(test.engine, { projectId: project, app: 'default', name: 'flow', input: {} }),
    ).rejects.toThrow('project is suspended');
  });

  it('wakes its waiters even if the process dies between recording it and looking them up', async () => {
    const project = await createTestProject(test.engine);
    await registerWorkflows(test.engine, project, [{ name: 'flow' }]);
    const dispatcher = await new ScriptedDispatcher(test.engine, (request) =>
      memoOf(request, 'w') ? complete('woken') : steps([{ op: 'WaitForEvent', name: 'w', eventName: 'go' }]),
    ).start();
    const { runId } = await triggerWorkflow(test.engine, {
      projectId: project,
      app: 'default',
      name: 'flow',
      input: {},
    });
    await dispatcher.runOnce();
    onFailPoint((point) => {
      if (point === 'settleWaits:before') throw new Error('killed');
    });
    await expect(send({ name: 'go' }, project)).rejects.toThrow('killed');
    onFailPoint(undefined);
    await test.db.query("update event_pending set created_at = created_at - interval '1 minute'");
    expect(await recoverPending(test.engine)).toBeGreaterThan(0);
    await dispatcher.runOnce();
    expect(await test.db.prisma.run.findUniqueOrThrow({ where: { id: runId ?? '' } })).toMatchObject({
      result: 'woken',
    });
  });
});
