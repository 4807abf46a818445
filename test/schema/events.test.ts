import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { query, recordStatements, secretKey } from './fixtures.ts';

const test = useEngine();
let projectId: string;

beforeEach(async () => {
  projectId = await createTestProject(test.engine);
});

async function send(input: object, project = projectId): Promise<string> {
  const document = `mutation ($input: SendEventInput!) { sendEvent(input: $input) { eventId } }`;
  const { sendEvent } = await query(test.engine, secretKey(project), document, { input });
  return (sendEvent as { eventId: string }).eventId;
}

describe('events', () => {
  const list = async (args: string, project = projectId): Promise<string[]> => {
    const { events } = await query(test.engine, secretKey(project), `{ events(${args}) { nodes { id } } }`);
    return (events as { nodes: { id: string }[] }).nodes.map(({ id }) => id);
  };

  it('are found by session, tags and source, and by what they did not match', async () => {
    await registerWorkflows(test.engine, projectId, [{ name: 'order' }]);
    const plain = await send({ name: 'order' });
    const chat = await send({ name: 'order', session: 'chat', tags: { team: 'a', env: 'prod' } });
    const lost = await send({ name: 'nothing', tags: { team: 'a' } });
    expect(await list('session: "chat"')).toEqual([chat]);
    expect(await list('tags: [{ key: "team", value: "a" }]')).toEqual([lost, chat]);
    expect(await list('tags: [{ key: "team", value: "a" }, { key: "env", value: "prod" }]')).toEqual([chat]);
    expect(await list('tags: [{ key: "team", value: "a" }, { key: "team", value: "b" }]')).toEqual([]);
    expect(await list('unmatchedOnly: true')).toEqual([lost]);
    expect(await list('unmatchedOnly: false')).toEqual([lost, chat, plain]);
    expect(await list('source: API, first: 2')).toEqual([lost, chat]);
    expect(await list('source: EMIT')).toEqual([]);
    expect(await list('session: "chat"', await createTestProject(test.engine))).toEqual([]);
  });

  it('are found by the run that emitted them', async () => {
    const [runId, emitted] = [newId(), await send({ name: 'x' })];
    await test.engine.db.query({
      text: `update event set source = 'emit', source_run_id = $2 where id = $1`,
      values: [emitted, runId],
    });
    await send({ name: 'x' });
    expect(await list(`sourceRunId: "${runId}"`)).toEqual([emitted]);
    expect(await list('sourceRunId: "nonsense"')).toEqual([]);
    expect(await list(`sourceRunId: "${runId}"`, await createTestProject(test.engine))).toEqual([]);
  });

  it('of a window are those received in it, also where the clock of the id was off', async () => {
    const ids = [await send({ name: 'x' }), await send({ name: 'x' }), await send({ name: 'x' })];
    const at = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    for (const [n, id] of ids.entries())
      await test.engine.db.query({
        text: `update event set received_at = $2 where id = $1`,
        values: [id, at(50 - 20 * n)],
      });
    const window = (from: number, to: number) => `since: "${at(from).toISOString()}", until: "${at(to).toISOString()}"`;
    expect(await list(window(40, 20))).toEqual([ids[1]]);
    expect(await list(window(55, 5))).toEqual([...ids].reverse());
    expect(await list('since: "1900-01-01T00:00:00Z"')).toHaveLength(3);
    expect(await list('until: "1900-01-01T00:00:00Z"')).toEqual([]);
  });
});

describe('eventMatches', () => {
  interface Match {
    app: string;
    workflow: string;
    outcome: string;
    guards: string[];
    runId: string | null;
  }
  const document = `query ($id: ID!, $limit: Int) {
    eventMatches(eventId: $id, limit: $limit) { app workflow outcome guards runId existingRunId fault isChanged }
  }`;
  const matches = async (id: string, engine = test.engine, project = projectId): Promise<Match[]> =>
    (await query(engine, secretKey(project), document, { id }))['eventMatches'] as Match[];
  const outcomes = async (id: string): Promise<Record<string, string>> =>
    Object.fromEntries((await matches(id)).map(({ workflow, outcome }) => [workflow, outcome]));

  it('tell for each workflow what became of the event, matches first', async () => {
    const trigger = (guard?: string) => [{ event: 'order.*', ...(guard && { if: guard }) }];
    await registerWorkflows(test.engine, projectId, [
      { name: 'a other', triggers: [{ event: 'invoice' }] },
      { name: 'b refused', triggers: trigger('data.total > 100') },
      { name: 'c started', triggers: trigger('data.total > 1') },
      { name: 'd lone', triggers: trigger(), singleton: { mode: 'skip' } },
      { name: 'e retired', triggers: trigger() },
    ]);
    await test.engine.db.query({
      text: `update workflow set retired_at = now() where project_id = $1 and name = 'e retired'`,
      values: [projectId],
    });
    test.engine.registry.invalidate(projectId);
    await send({ name: 'order.paid', data: { total: 5 } });
    const id = await send({ name: 'order.paid', data: { total: 5 } });
    const { engine, statements } = recordStatements(test.engine);
    const found = await matches(id, engine);
    expect(found.map(({ workflow, outcome }) => [workflow, outcome])).toEqual([
      ['c started', 'STARTED'],
      ['d lone', 'SKIPPED'],
      ['b refused', 'GUARD_REFUSED'],
      ['e retired', 'RETIRED'],
      ['a other', 'OTHER_EVENT'],
    ]);
    expect(found[0]?.runId).toEqual(expect.any(String));
    expect(found[2]).toMatchObject({ guards: ['data.total > 100'], isChanged: false, fault: null });
    expect(statements.filter((each) => /^(list|select)/.test(each)).sort()).toEqual([
      'listWorkflowTimes',
      'selectEventData',
      'selectEventRows',
    ]);
    expect(await query(test.engine, secretKey(projectId), document, { id, limit: 1 })).toMatchObject({
      eventMatches: [{ workflow: 'c started' }],
    });
  });

  it('name the app that an event was sent to, and a definition that came later', async () => {
    await registerWorkflows(test.engine, projectId, [{ name: 'order' }], { app: 'one' });
    await registerWorkflows(test.engine, projectId, [{ name: 'two', triggers: [{ event: 'order' }] }], { app: 'two' });
    const id = await send({ name: 'order', targetApp: 'one' });
    expect(await outcomes(id)).toEqual({ order: 'STARTED', two: 'OTHER_APP' });
    await registerWorkflows(test.engine, projectId, [{ name: 'new', triggers: [{ event: 'order' }] }], { app: 'one' });
    const [late] = (await matches(id)).filter(({ workflow }) => workflow === 'new');
    expect(late).toMatchObject({ outcome: 'MATCHES_NOW', isChanged: true });
  });

  it('are null for an unknown event, and for one of another project', async () => {
    const id = await send({ name: 'x' });
    expect(await matches(newId())).toBeNull();
    expect(await matches(id, test.engine, await createTestProject(test.engine))).toBeNull();
    expect(await matches(id)).toEqual([]);
  });
});
