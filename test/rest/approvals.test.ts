import { afterAll, beforeAll, expect, test } from 'vitest';
import { triggerWorkflow } from '../../src/engine/admission/index.ts';
import { newId } from '../../src/engine/ids.ts';
import { createApiKey } from '../../src/engine/keys/index.ts';
import { complete, memoOf, ScriptedDispatcher, steps } from '../support/scriptedRunner.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { type Answered, type RestServer, startRest } from './restServer.ts';

let rest: RestServer;
let dispatcher: ScriptedDispatcher;
/** The approval that the next run requests. */
let asks: object = {};

beforeAll(async () => {
  rest = await startRest();
  await registerWorkflows(rest.engine, rest.projectId, [{ name: 'pay' }], { app: 'shop' });
  dispatcher = await new ScriptedDispatcher(rest.engine, (request) =>
    memoOf(request, 'sign')
      ? complete(memoOf(request, 'sign'))
      : steps([{ op: 'Approval', name: 'sign', tool: 'refund', data: { amount: 5 }, ...asks }]),
  ).start();
});
afterAll(() => rest.close());

/** A waiting run, and the id of its approval. */
async function asked(more: object = {}): Promise<{ runId: string; id: string }> {
  asks = more;
  const call = { projectId: rest.projectId, app: 'shop', name: 'pay', input: {} };
  const { runId = '' } = await triggerWorkflow(rest.engine, call);
  await dispatcher.runOnce();
  const { body } = await rest.call('GET', `/approvals?runId=${runId}`);
  return { runId, id: body[0].id };
}

const decide = (id: string, body: unknown, caller?: Parameters<RestServer['call']>[3]): Promise<Answered> =>
  rest.call('POST', `/approvals/${id}/decision`, body, caller);

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('GET /approvals/{id} answers every field that has a value, and none that has not', async () => {
  const { runId, id } = await asked();
  const open = {
    id,
    runId,
    workflow: 'pay',
    app: 'shop',
    step: 'sign',
    tool: 'refund',
    args: { amount: 5 },
    risk: 'unspecified',
    escalatesTo: '',
    onTimeout: 'escalate',
    status: 'pending',
    requestedAt: instant,
  };
  expect((await rest.call('GET', `/approvals/${id}`)).body).toEqual(open);
  const all = { risk: 'high', policy: 'p', summary: 's', context: 'c', escalatesTo: 'boss', onTimeout: 'fail' };
  const other = await asked({ ...all, timeoutMs: 60_000 });
  expect((await rest.call('GET', `/approvals/${other.id}`)).body).toEqual({
    ...open,
    ...all,
    ...other,
    expiresAt: instant,
  });
});

test('a decision answers the decided approval; the step and its run have gone on', async () => {
  const { runId, id } = await asked();
  expect((await rest.call('GET', `/runs/${runId}`)).body.status).toBe('needs_attention');
  const { status, body } = await decide(id, { status: 'approved' });
  expect(status).toBe(200);
  const decided = { decidedAt: instant, decidedBy: 'a secret key', decidedVia: 'api' };
  expect(body).toMatchObject({ id, runId, status: 'approved', args: { amount: 5 }, ...decided });
  expect(body).not.toHaveProperty('editedArgs');
  expect((await rest.call('GET', `/runs/${runId}`)).body.status).toBe('queued');
  await dispatcher.runOnce();
  const memo = { status: 'approved', args: { amount: 5 }, ...decided, decidedAt: body.decidedAt };
  expect((await rest.call('GET', `/runs/${runId}`)).body.result).toEqual({ data: memo });
  expect((await rest.call('GET', `/runs/${runId}/steps`)).body).toMatchObject([
    { name: 'sign', status: 'succeeded', input: { amount: 5 }, output: memo },
  ]);
  expect((await rest.call('GET', `/approvals/${id}`)).body).toEqual(body);
});

test('edited arguments come back as the text that was sent, and null is a value', async () => {
  const args = '{"big":12345678901234567890, "huge":1e400,"zero":-0}';
  const { id } = await asked();
  const { text } = await decide(id, `{"status":"approved","args":${args}}`);
  expect(text).toContain(`"editedArgs":${args}`);
  expect(text).toContain('"args":{"amount":5}');
  const none = await asked();
  expect((await decide(none.id, { status: 'approved', args: null })).body).toHaveProperty('editedArgs', null);
});

test('a denial ignores arguments', async () => {
  const { id } = await asked();
  const { status, body } = await decide(id, { status: 'denied', args: { amount: 1 } });
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'denied', args: { amount: 5 } });
  expect(body).not.toHaveProperty('editedArgs');
});

test('a reason comes back with the approval and in the result of the step; a long one decides nothing', async () => {
  const { runId, id } = await asked();
  const long = await decide(id, { status: 'denied', reason: 'x'.repeat(2001) });
  expect(long).toMatchObject({ status: 400, body: { error: 'reason may be at most 2000 characters long' } });
  expect((await decide(id, { status: 'denied', reason: 'no receipt' })).body).toMatchObject({
    status: 'denied',
    decisionReason: 'no receipt',
  });
  await dispatcher.runOnce();
  expect((await rest.call('GET', `/runs/${runId}`)).body.result).toMatchObject({ data: { reason: 'no receipt' } });
});

test('a closed approval answers 409, whatever closed it', async () => {
  const refused = { status: 409, body: { error: 'approval is not open' } };
  const decided = await asked();
  await decide(decided.id, { status: 'denied' });
  expect(await decide(decided.id, { status: 'approved' })).toMatchObject(refused);
  const cancelled = await asked();
  await rest.call('POST', `/runs/${cancelled.runId}/cancel`);
  expect(await decide(cancelled.id, { status: 'approved' })).toMatchObject(refused);
  expect((await rest.call('GET', `/approvals/${cancelled.id}`)).body).toMatchObject({ status: 'cancelled' });
  expect((await rest.call('GET', `/approvals/${cancelled.id}`)).body).not.toHaveProperty('decidedVia');
});

test.each([
  ['no body', undefined, /JSON/],
  ['a body that is not JSON', '{"status":"approved","args":{', /JSON/],
  ['no status', {}, 'status must be one of approved, denied'],
  ['another status', { status: 'cancelled' }, 'status must be one of approved, denied'],
  ['a status in capitals', { status: 'APPROVED' }, 'status must be one of approved, denied'],
  ['a status that is no string', { status: ['approved'] }, 'status must be one of approved, denied'],
])('a decision with %s answers 400, and decides nothing', async (_what, body, error) => {
  const { id } = await asked();
  const answered = await decide(id, body);
  expect(answered.status).toBe(400);
  expect(answered.body.error).toEqual(typeof error === 'string' ? error : expect.stringMatching(error));
  expect((await rest.call('GET', `/approvals/${id}`)).body.status).toBe('pending');
});

test('an unknown approval, and one of another project, answer 404', async () => {
  const missing = { status: 404, body: { error: 'approval not found' } };
  const { id } = await asked();
  const { secret } = await rest.stranger();
  for (const each of [newId(), 'nonsense']) {
    expect(await rest.call('GET', `/approvals/${each}`)).toMatchObject(missing);
    expect(await decide(each, { status: 'approved' })).toMatchObject(missing);
  }
  expect(await rest.call('GET', `/approvals/${id}`, undefined, { key: secret })).toMatchObject(missing);
  expect(await decide(id, { status: 'approved' }, { key: secret })).toMatchObject(missing);
  expect((await rest.call('GET', '/approvals', undefined, { key: secret })).body).toEqual([]);
});

test('a public key reads approvals and decides none', async () => {
  const { id } = await asked();
  const caller = { key: rest.keys.public };
  expect((await rest.call('GET', `/approvals/${id}`, undefined, caller)).status).toBe(200);
  expect((await rest.call('GET', '/approvals', undefined, caller)).status).toBe(200);
  expect((await decide(id, { status: 'approved' }, caller)).status).toBe(403);
});

test('decidedBy is the person whom a platform key names, else the key; the body cannot say', async () => {
  const { token } = await createApiKey(rest.engine, { name: 'the console', kind: 'platform' });
  const by = async (headers: Record<string, string>, key?: string): Promise<unknown> => {
    const { id } = await asked();
    const body = { status: 'approved', decidedBy: 'me', decidedVia: 'mcp', actor: 'me' };
    const answered = await decide(id, body, { headers, ...(key !== undefined && { key }) });
    return [answered.body.decidedBy, answered.body.decidedVia];
  };
  const project = { 'x-service-project': rest.projectId };
  expect(await by({ ...project, 'x-service-actor': 'ada@example.com' }, token)).toEqual(['ada@example.com', 'console']);
  const inBytes = Buffer.from('田中 Zoë', 'utf8').toString('latin1');
  expect(await by({ ...project, 'x-service-actor': inBytes }, token)).toEqual(['田中 Zoë', 'console']);
  expect(await by(project, token)).toEqual(['the console', 'api']);
  expect(await by({ 'x-service-actor': 'ada@example.com' })).toEqual(['a secret key', 'api']);
  const { rows } = await rest.engine.db.query(
    `select distinct actor from control_action where project_id = $1 and action = 'approve' order by actor`,
    [rest.projectId],
  );
  expect(rows.map((row) => row.actor)).toEqual(['a secret key', 'the console']);
});

test('GET /approvals is newest first, by status and run, and pages', async () => {
  const { projectId, secret } = await rest.stranger();
  await registerWorkflows(rest.engine, projectId, [{ name: 'pay' }], { app: 'shop' });
  asks = {};
  const ids: string[] = [];
  const runIds: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    const { runId = '' } = await triggerWorkflow(rest.engine, { projectId, app: 'shop', name: 'pay', input: {} });
    await dispatcher.runOnce();
    runIds.unshift(runId);
    ids.unshift((await rest.call('GET', `/approvals?runId=${runId}`, undefined, { key: secret })).body[0].id);
  }
  const list = async (query: string): Promise<string[]> => {
    const { body } = await rest.call('GET', `/approvals${query}`, undefined, { key: secret });
    return body.map((each: { id: string }) => each.id);
  };
  expect(await list('')).toEqual(ids);
  expect(await list('?limit=2')).toEqual(ids.slice(0, 2));
  expect(await list('?limit=5000')).toEqual(ids);
  expect(await list(`?runId=${runIds[3]}`)).toEqual([ids[3]]);
  expect(await list('?runId=nonsense')).toEqual([]);
  await decide(ids[1] ?? '', { status: 'denied' }, { key: secret });
  expect(await list('?status=pending')).toEqual(ids.filter((_, position) => position !== 1));
  expect(await list('?status=denied')).toEqual([ids[1]]);
  expect(await list('?status=escalated')).toEqual([]);
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Answered = await rest.call('GET', `/approvals?limit=2&cursor=${cursor}`, undefined, { key: secret });
    seen.push(...page.body.map((each: { id: string }) => each.id));
    cursor = page.headers.get('x-next-cursor');
  }
  expect(seen).toEqual(ids);
});

test.each([
  ['status=open', 'status must be one of pending, escalated, approved, denied, cancelled'],
  ['status=', 'status must be one of pending, escalated, approved, denied, cancelled'],
  ['limit=0', 'limit must be an integer from 1 to 1000 (more counts as 1000)'],
  ['limit=1.5', 'limit must be an integer from 1 to 1000 (more counts as 1000)'],
  ['limit=many', 'limit must be an integer from 1 to 1000 (more counts as 1000)'],
  ['cursor=broken', 'cursor is damaged or belongs to another sort or dir'],
])('GET /approvals?%s answers 400', async (query, error) => {
  expect(await rest.call('GET', `/approvals?${query}`)).toMatchObject({ status: 400, body: { error } });
});
