import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { RawJson, stringifyRaw } from '../../src/engine/json/index.ts';
import { prepare, run } from '../../src/schema/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { contextOf, insertWorkflows, query, secretKey } from './fixtures.ts';

const test = useEngine();
let projectId: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  await insertWorkflows(test.engine, projectId, [
    { app: 'shop', name: 'order.placed' },
    { app: 'mail', name: 'order.placed' },
  ]);
  await test.db.prisma.runner.create({
    data: {
      id: newId(),
      projectId,
      app: 'shop',
      runnerId: 'r1',
      transport: 'http',
      url: 'http://127.0.0.1:1',
      workflows: ['order.placed'],
      connectionId: newId(),
    },
  });
});

const ask = (document: string, variables = {}) => query(test.engine, secretKey(projectId), document, variables);

const send = prepare(`mutation ($input: SendEventInput!) {
  sendEvent(input: $input) { eventId runId woke deduped suspended triggered { app workflow runId } event { name data app tags } } }`);

describe('sendEvent', () => {
  it('starts what the event triggers, and returns the record with its data as it was sent', async () => {
    const data = RawJson.trusted('{"total":1e400,"id":12345678901234567890}');
    const input = { name: 'order.placed', data, tags: { tenant: 'acme' }, session: 's1' };
    const { data: answer, error } = await run(send, { input }, contextOf(test.engine, secretKey(projectId)));
    expect(error).toBeUndefined();
    expect(stringifyRaw(answer)).toContain('"data":{"total":1e400,"id":12345678901234567890}');
    const { sendEvent } = JSON.parse(stringifyRaw(answer));
    expect(sendEvent.triggered.map((each: { app: string }) => each.app)).toEqual(['mail', 'shop']);
    expect(sendEvent).toMatchObject({ woke: 0, deduped: null, suspended: null, runId: sendEvent.triggered[0].runId });
    expect(sendEvent.event).toMatchObject({ name: 'order.placed', app: 'default', tags: { tenant: 'acme' } });

    const { runs } = (await ask(
      'query ($id: ID!) { runs(filter: { eventId: $id }) { nodes { app tags session event { id } } } }',
      {
        id: sendEvent.eventId,
      },
    )) as { runs: { nodes: { app: string }[] } };
    expect(runs.nodes.map((each) => each.app).sort()).toEqual(['mail', 'shop']);
    expect(runs.nodes[0]).toMatchObject({ tags: { tenant: 'acme' }, session: 's1', event: { id: sendEvent.eventId } });
  });

  it('delays the runs, and lets their starts expire', async () => {
    const input = { name: 'order.placed', delayMs: 3_600_000, ttlMs: 1_000 };
    const { runId } = (
      (await ask('mutation ($input: SendEventInput!) { sendEvent(input: $input) { runId } }', { input })) as {
        sendEvent: { runId: string };
      }
    ).sendEvent;
    const { run: shown } = (await ask('query ($id: ID!) { run(id: $id) { startAt expiresAt } }', { id: runId })) as {
      run: { startAt: string; expiresAt: string };
    };
    expect(Date.parse(shown.expiresAt) - Date.parse(shown.startAt)).toBe(1_000);
  });

  it.each([
    ['null', 'data: null', null],
    ['a literal with numbers of any size', 'data: { n: 1.0, b: [true, "x", null] }', { n: 1, b: [true, 'x', null] }],
  ])('takes data that is %s', async (_what, argument, data) => {
    const document = `mutation { sendEvent(input: { name: "nobody listens", ${argument} }) { event { data } } }`;
    expect(await ask(document)).toEqual({ sendEvent: { event: { data } } });
  });

  it('an event without data has none', async () => {
    const document = prepare('mutation { sendEvent(input: { name: "bare" }) { event { data } } }');
    const { data } = await run(document, {}, contextOf(test.engine, secretKey(projectId)));
    expect(data).toEqual({ sendEvent: { event: { data: null } } });
    const nullData = prepare('mutation { sendEvent(input: { name: "bare", data: null }) { event { data } } }');
    const second = await run(nullData, {}, contextOf(test.engine, secretKey(projectId)));
    expect(second.data).toMatchObject({ sendEvent: { event: { data: { text: 'null' } } } });
  });

  it('a repeat of a dedupeId answers the first event', async () => {
    const document = `mutation { sendEvent(input: { name: "once", dedupeId: "d1" }) { eventId deduped triggered { app } } }`;
    const first = (await ask(document)) as { sendEvent: { eventId: string } };
    expect(await ask(document)).toEqual({
      sendEvent: { eventId: first.sendEvent.eventId, deduped: true, triggered: [] },
    });
  });

  it.each([
    ['name: "  "', /name/],
    ['name: "x", tags: { a: 1 }', /tags/],
    ['name: "x", tags: "no"', /tags/],
    ['name: "x", targetApp: "nowhere"', 'event names an unregistered workflow'],
    ['name: "x\\u0000"', 'unsupported character in event'],
    [`name: "${'x'.repeat(257)}"`, /name/],
  ])('%s is refused', async (input, message) => {
    await expect(ask(`mutation { sendEvent(input: { ${input} }) { woke } }`)).rejects.toMatchObject({
      kind: 'invalid',
    });
    await expect(ask(`mutation { sendEvent(input: { ${input} }) { woke } }`)).rejects.toThrow(message);
  });

  it('a variable of the wrong type is bad input, not a fault', async () => {
    const { error } = await run(send, { input: { name: 5 } }, contextOf(test.engine, secretKey(projectId)));
    expect(error).toMatchObject({ kind: 'invalid', message: expect.stringContaining('input.name') });
  });
});

describe('triggerWorkflow and cancelRun', () => {
  const trigger = `mutation ($input: TriggerWorkflowInput!) {
    triggerWorkflow(input: $input) { app workflow eventName runId deduped run { id input status triggerKind } } }`;
  const target = { app: 'shop', name: 'order.placed' };

  it('start one run, whose input is {} unless given, and end it', async () => {
    const { triggerWorkflow } = (await ask(trigger, { input: target })) as { triggerWorkflow: { runId: string } };
    const { runId } = triggerWorkflow;
    expect(triggerWorkflow).toEqual({
      app: 'shop',
      workflow: 'order.placed',
      eventName: 'order.placed',
      runId,
      deduped: null,
      run: { id: runId, input: {}, status: 'QUEUED', triggerKind: 'MANUAL' },
    });
    const cancel = 'mutation ($id: ID!) { cancelRun(input: { runId: $id }) { run { id status endedAt } } }';
    const { cancelRun } = (await ask(cancel, { id: runId })) as { cancelRun: { run: Record<string, unknown> } };
    expect(cancelRun.run).toMatchObject({ id: runId, status: 'CANCELLED', endedAt: expect.stringMatching(/Z$/) });
    await expect(ask(cancel, { id: runId })).rejects.toMatchObject({
      kind: 'conflict',
      message: 'run already in a terminal state',
    });
    await expect(ask(cancel, { id: newId() })).rejects.toMatchObject({ kind: 'notFound' });
  });

  it('hold a repeat back, refuse what is not registered and what nobody could serve', async () => {
    const input = { ...target, dedupeId: 'once', input: null };
    expect(await ask(trigger, { input })).toMatchObject({ triggerWorkflow: { run: { input: {} } } });
    expect(await ask(trigger, { input })).toMatchObject({ triggerWorkflow: { runId: null, deduped: true, run: null } });
    await expect(ask(trigger, { input: { app: 'shop', name: 'nope' } })).rejects.toMatchObject({ kind: 'notFound' });
    await expect(ask(trigger, { input: { app: 'mail', name: 'order.placed' } })).rejects.toMatchObject({
      kind: 'noRunner',
    });
  });
});

describe('events', () => {
  it('are listed newest first, by app and name, page by page', async () => {
    const project = await createTestProject(test.engine);
    const list = (document: string, variables = {}) => query(test.engine, secretKey(project), document, variables);
    for (const [app, name] of [
      ['a', 'one'],
      ['a', 'two'],
      ['b', 'one'],
    ] as const) {
      await list('mutation ($input: SendEventInput!) { sendEvent(input: $input) { woke } }', { input: { app, name } });
    }
    const document = `query ($first: Int, $after: String, $app: String, $name: String) {
      events(first: $first, after: $after, app: $app, name: $name) {
        nodes { app name source woke wokeRuns triggered { app } suspended } pageInfo { hasNextPage endCursor } } }`;
    const page = async (variables = {}) => {
      const { events } = (await list(document, variables)) as {
        events: { nodes: { app: string; name: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
      };
      return { names: events.nodes.map(({ app, name }) => `${app}/${name}`), ...events.pageInfo, nodes: events.nodes };
    };
    const first = await page({ first: 2 });
    expect(first).toMatchObject({ names: ['b/one', 'a/two'], hasNextPage: true });
    expect(first.nodes[0]).toMatchObject({ source: 'API', woke: 0, wokeRuns: [], triggered: [], suspended: null });
    expect(await page({ first: 2, after: first.endCursor })).toMatchObject({ names: ['a/one'], hasNextPage: false });
    expect((await page({ app: 'a' })).names).toEqual(['a/two', 'a/one']);
    expect((await page({ name: 'one' })).names).toEqual(['b/one', 'a/one']);
    expect((await page({ name: 'o\0' })).names).toEqual([]);
    await expect(page({ after: 'x' })).rejects.toThrow(/cursor/);
    await expect(page({ first: 0 })).rejects.toThrow('first must be');
  });
});
