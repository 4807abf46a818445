import { describe, expect, it } from 'vitest';
import { expireApprovals } from '../../src/engine/approvals/index.ts';
import { ManualClock } from '../../src/engine/clock.ts';
import { cancelRun } from '../../src/engine/control/index.ts';
import { newId } from '../../src/engine/ids.ts';
import { stringifyRaw } from '../../src/engine/json/index.ts';
import type { Principal } from '../../src/engine/keys/index.ts';
import { createSchemaContext, prepare, run, subscribeTo, type Via } from '../../src/schema/index.ts';
import { scene, signed } from '../engine/approvals/scene.ts';
import { useEngine } from '../support/engine.ts';
import { contextOf, publicKey, query, recordStatements, secretKey } from './fixtures.ts';

const clock = new ManualClock();

const test = useEngine({ clock });

const everything = `
  id runId run { id workflow } workflow app step tool args risk policy summary context escalatesTo onTimeout status
  requestedAt expiresAt decidedAt decidedBy decidedVia editedArgs`;

const decision = `mutation ($input: DecideApprovalInput!) {
  decideApproval(input: $input) { approval { id status decidedBy decidedVia args editedArgs } }
}`;

describe('approval and approvals', () => {
  it('have the fields of 2.7; those that do not apply are null', async () => {
    const { asked, projectId } = await scene(test.engine, signed({ timeoutMs: 1_000, onTimeout: 'reject' }));
    const { runId, approvalId } = await asked();
    const ask = (document: string, id: string) => query(test.engine, secretKey(projectId), document, { id });
    const expected = {
      id: approvalId,
      runId,
      run: { id: runId, workflow: 'flow' },
      workflow: 'flow',
      app: 'default',
      step: 'sign',
      tool: 'refund',
      args: { amount: 5 },
      risk: 'unspecified',
      policy: null,
      summary: null,
      context: null,
      escalatesTo: '',
      onTimeout: 'REJECT',
      status: 'PENDING',
      requestedAt: clock.now().toISOString(),
      expiresAt: new Date(clock.now().getTime() + 1_000).toISOString(),
      decidedAt: null,
      decidedBy: null,
      decidedVia: null,
      editedArgs: null,
    };
    const one = `query ($id: ID!) { approval(id: $id) { ${everything} } }`;
    expect(await ask(one, approvalId)).toEqual({ approval: expected });
    expect(await ask(one, newId())).toEqual({ approval: null });
    expect(await ask(one, 'nonsense')).toEqual({ approval: null });
    const list = `query ($id: ID) { approvals(runId: $id, status: PENDING) {
      nodes { ${everything} } edges { cursor } pageInfo { hasNextPage } } }`;
    expect(await ask(list, runId)).toEqual({
      approvals: {
        nodes: [expected],
        edges: [{ cursor: expect.any(String) }],
        pageInfo: { hasNextPage: false },
      },
    });
  });

  it('of many runs come with one statement, their arguments with another', async () => {
    const { asked, projectId } = await scene(test.engine, signed());
    for (let n = 0; n < 4; n += 1) await asked();
    const { engine, statements } = recordStatements(test.engine);
    const document = '{ runs { nodes { id approvals { id runId run { id } args editedArgs } } } }';
    const answer = await query(engine, secretKey(projectId), document);
    expect(statements.filter((each) => /approval/i.test(each))).toEqual([
      'selectRunApprovals',
      'selectApprovalPayloads',
    ]);
    const { nodes } = answer['runs'] as { nodes: { id: string; approvals: { runId: string; args: unknown }[] }[] };
    expect(nodes).toHaveLength(4);
    for (const { id, approvals } of nodes) expect(approvals).toMatchObject([{ runId: id, args: { amount: 5 } }]);
  });
});

describe('decideApproval', () => {
  it.each<[string, Via, (projectId: string) => Principal, object]>([
    ['a key over GraphQL', 'graphql', secretKey, { decidedBy: 'test key', decidedVia: 'API' }],
    ['a key of an agent', 'mcp', secretKey, { decidedBy: 'test key', decidedVia: 'MCP' }],
    [
      'a person at the console',
      'rest',
      (projectId) => ({ kind: 'platform', keyId: newId(), keyName: 'console', projectId, actor: 'ada' }),
      { decidedBy: 'ada', decidedVia: 'CONSOLE' },
    ],
    [
      'a person through an agent',
      'mcp',
      (projectId) => ({ kind: 'platform', keyId: newId(), keyName: 'console', projectId, actor: 'ada' }),
      { decidedBy: 'ada', decidedVia: 'MCP' },
    ],
  ])('says that %s decided', async (_who, via, principalOf, by) => {
    const { asked, projectId } = await scene(test.engine, signed());
    const { approvalId } = await asked();
    const context = createSchemaContext({ engine: test.engine, principal: principalOf(projectId), via });
    const input = { id: approvalId, status: 'APPROVED', args: { amount: 4 } };
    const { data, error } = await run(prepare(decision), { input }, context);
    expect(error).toBeUndefined();
    expect(JSON.parse(stringifyRaw(data))).toEqual({
      decideApproval: {
        approval: { id: approvalId, status: 'APPROVED', args: { amount: 5 }, editedArgs: { amount: 4 }, ...by },
      },
    });
  });

  it('is refused to a public key, for an unknown approval, and for one that is not open', async () => {
    const { asked, projectId } = await scene(test.engine, signed());
    const { approvalId } = await asked();
    const decide = (principal: Principal, id: string) =>
      query(test.engine, principal, decision, { input: { id, status: 'DENIED' } });
    await expect(decide(publicKey(projectId), approvalId)).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(decide(secretKey(projectId), newId())).rejects.toMatchObject({ kind: 'notFound' });
    await decide(secretKey(projectId), approvalId);
    await expect(decide(secretKey(projectId), approvalId)).rejects.toMatchObject({
      kind: 'conflict',
      message: 'approval is not open',
    });
  });

  it('takes approved or denied only', async () => {
    const { asked, projectId } = await scene(test.engine, signed());
    const { approvalId } = await asked();
    const input = { id: approvalId, status: 'CANCELLED' };
    await expect(query(test.engine, secretKey(projectId), decision, { input })).rejects.toMatchObject({
      kind: 'invalid',
    });
  });
});

it('approvalChanged tells of requests, decisions, deadlines and cancellations of its project', async () => {
  const { asked, decide, projectId } = await scene(test.engine, signed({ timeoutMs: 1_000 }));
  const theirs = await scene(test.engine, signed());
  const document = prepare('subscription { approvalChanged { id status decidedBy } }');
  const changes = await subscribeTo(document, {}, contextOf(test.engine, publicKey(projectId)));
  const next = async () => (await changes.next()).value?.data?.['approvalChanged'];
  await theirs.asked();
  const one = await asked();
  expect(await next()).toEqual({ id: one.approvalId, status: 'PENDING', decidedBy: null });
  await cancelRun(test.engine, { projectId, runId: one.runId, actor: 'test' });
  expect(await next()).toEqual({ id: one.approvalId, status: 'CANCELLED', decidedBy: null });
  const two = await asked();
  expect(await next()).toMatchObject({ id: two.approvalId, status: 'PENDING' });
  await decide(two.approvalId, 'denied');
  expect(await next()).toEqual({ id: two.approvalId, status: 'DENIED', decidedBy: 'ada' });
  const three = await asked();
  expect(await next()).toMatchObject({ id: three.approvalId, status: 'PENDING' });
  clock.advance(1_000);
  await expireApprovals(test.engine);
  expect(await next()).toMatchObject({ id: three.approvalId, status: 'ESCALATED' });
  await changes.return?.();
});
