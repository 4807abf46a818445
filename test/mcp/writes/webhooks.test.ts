import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/engine/ids.ts';
import { openInbox, receiveMessage } from '../../../src/engine/webhooks/inbound/index.ts';
import { meet } from '../../support/meeting.ts';
import { createTestSource, serviceHeaders } from '../../support/webhookSources.ts';
import { type McpServer, startMcp } from '../mcpServer.ts';
import { all, asking, openWrites, refused, type WriteScene } from './writeScene.ts';

let scene: WriteScene;
let other: McpServer;
beforeAll(async () => {
  scene = await openWrites();
  other = await startMcp({ beside: scene.mcp });
});
afterAll(async () => {
  await other.close();
  await scene.close();
});

const here = { isGone: () => false, whenOver: () => undefined };

let count = 0;
const fresh = () => {
  count += 1;
  return { url: `https://example.com/${count}`, eventKinds: ['run.failed'] };
};
const endpoints = () => scene.engine.db.prisma.webhookEndpoint.count();
const created = async () => (await scene.tool('create_webhook_endpoint', fresh())).structuredContent.endpoint;

/** Every text of an answer. */
const textOf = (result: object): string => JSON.stringify(result);

describe('endpoints at /mcp', () => {
  it('are created, changed and found again without a secret in either direction', async () => {
    const result = await scene.tool('create_webhook_endpoint', { ...fresh(), name: 'orders' });
    const { endpoint } = result.structuredContent;
    expect(endpoint).toMatchObject({ name: 'orders', enabled: true });
    expect(textOf(result)).not.toMatch(/whsec_/);
    expect(textOf(result)).toContain('rotateSecret');
    const changed = await scene.tool('update_webhook_endpoint', { id: endpoint.id, name: null, enabled: false });
    expect(changed.structuredContent.endpoint).toMatchObject({ id: endpoint.id, enabled: false });
    expect(changed.structuredContent.endpoint).not.toHaveProperty('name');
    const audited = (await scene.audit()).slice(-2);
    expect(audited).toMatchObject([
      { action: 'create_webhook_endpoint', detail: { endpointId: endpoint.id, via: 'mcp' } },
      { action: 'update_webhook_endpoint', detail: { fields: ['name', 'enabled'], via: 'mcp' } },
    ]);
  });

  it('take no secret and no rotation', async () => {
    for (const name of ['secret', 'rotateSecret', 'force', 'revokePrevious'])
      expect(await scene.tool('update_webhook_endpoint', { id: newId(), [name]: true })).toMatchObject({
        isError: true,
        structuredContent: { error: expect.stringContaining(`unknown argument "${name}"`) },
      });
    expect(await scene.tool('create_webhook_endpoint', { ...fresh(), secret: 'a known secret' })).toMatchObject({
      isError: true,
    });
  });

  it('are created once for a dedupeId', async () => {
    const given = { ...fresh(), dedupeId: 'create once' };
    const first = await scene.tool('create_webhook_endpoint', given);
    const before = await endpoints();
    const repeat = await other.tool('create_webhook_endpoint', given, all);
    expect(repeat.structuredContent).toEqual(first.structuredContent);
    expect(await endpoints()).toBe(before);
    expect(await scene.tool('create_webhook_endpoint', { ...given, url: 'https://example.com/x' })).toMatchObject(
      refused('dedupeId was used for another tool or with other arguments: choose a new one', 'CONFLICT'),
    );
  });

  it('are created once for a dedupeId that comes twice at once', async () => {
    const given = { ...fresh(), dedupeId: 'create at once' };
    const before = await endpoints();
    const made: unknown[] = [];
    const call = async (server: Pick<McpServer, 'tool'>): Promise<void> => {
      made.push((await server.tool('create_webhook_endpoint', given, all)).structuredContent.endpoint.id);
    };
    await meet(scene.engine.db, {
      at: 'insertEndpoint:after',
      first: () => call(scene.mcp),
      second: () => call(other),
    });
    expect([await endpoints(), new Set(made).size]).toEqual([before + 1, 1]);
  });

  it('give the reasons of REST', async () => {
    const given = { ...fresh(), name: 'taken' };
    await scene.tool('create_webhook_endpoint', given);
    expect(await scene.tool('create_webhook_endpoint', { ...fresh(), name: 'taken' })).toMatchObject(
      refused('webhook endpoint name already in use', 'CONFLICT'),
    );
    for (const tool of ['update_webhook_endpoint', 'delete_webhook_endpoint'])
      expect(await scene.tool(tool, { id: newId() })).toMatchObject(refused('webhook endpoint not found', 'NOT_FOUND'));
  });

  it('are deleted by a second call with the token, once', async () => {
    const [endpoint, bystander] = [await created(), await created()];
    const first = await scene.tool('delete_webhook_endpoint', { id: endpoint.id });
    const { preview, confirm } = first.structuredContent;
    expect(preview).toMatchObject({ matched: 1, capped: false, sample: [endpoint] });
    const before = await endpoints();
    expect(await scene.tool('delete_webhook_endpoint', { id: bystander.id, confirm })).toMatchObject(
      refused('confirm was given for other arguments'),
    );
    expect(await scene.tool('delete_webhook_source', { id: endpoint.id, confirm })).toMatchObject(
      refused('confirm was given for another tool'),
    );
    expect(await endpoints()).toBe(before);
    const done = await other.tool('delete_webhook_endpoint', { id: endpoint.id, confirm }, all);
    expect(done.structuredContent).toEqual({ deleted: { id: endpoint.id } });
    expect(await endpoints()).toBe(before - 1);
    expect(await scene.tool('delete_webhook_endpoint', { id: endpoint.id, confirm })).toMatchObject(
      refused('confirm was used before: the endpoint is deleted.'),
    );
  });

  it('are deleted by one of two confirmations at once', async () => {
    const { id } = await created();
    const { confirm } = (await scene.tool('delete_webhook_endpoint', { id })).structuredContent;
    const results: { isError?: boolean }[] = [];
    const call = async (server: Pick<McpServer, 'tool'>): Promise<void> => {
      results.push(await server.tool('delete_webhook_endpoint', { id, confirm }, all));
    };
    await meet(scene.engine.db, {
      at: 'removeEndpoint:after',
      first: () => call(scene.mcp),
      second: () => call(other),
    });
    expect(results.filter(({ isError }) => isError)).toHaveLength(1);
  });

  it('are deleted on another process than the one that asked the person, once', async () => {
    const { id } = await created();
    const { requestState } = await scene.tool('delete_webhook_endpoint', { id }, asking);
    const inputResponses = { answer: { action: 'accept', content: { confirm: true } } };
    const params = { requestState, inputResponses };
    const results = await Promise.all(
      [other, scene.mcp].map((server) => server.tool('delete_webhook_endpoint', { id }, { ...asking, params })),
    );
    expect(results.filter(({ isError }) => isError)).toHaveLength(1);
    expect(results.map(({ structuredContent }) => structuredContent)).toContainEqual({ deleted: { id } });
  });

  it('are deleted when the person agrees, and stay when not', async () => {
    const { id } = await created();
    const round = await scene.tool('delete_webhook_endpoint', { id }, asking);
    const { message } = round.inputRequests.answer.params;
    expect(message).toBe(
      `Delete the webhook endpoint?\nURL "https://example.com/${count}", id ${id}.\nIts unfinished deliveries are not sent any more.`,
    );
    const before = await endpoints();
    await scene.answer('delete_webhook_endpoint', { id }, round, { action: 'decline' });
    expect(await endpoints()).toBe(before);
    await scene.answer('delete_webhook_endpoint', { id }, round, { action: 'accept', content: { confirm: true } });
    expect(await endpoints()).toBe(before - 1);
  });
});

describe('sources at /mcp', () => {
  it('are created, changed and deleted without a secret, a token or an address', async () => {
    const given = { eventName: 'order.paid', name: 'shop', dedupeId: 'a source' };
    const first = await scene.tool('create_webhook_source', given);
    const { id } = first.structuredContent.source;
    const { token } = await scene.engine.db.prisma.webhookSource
      .findUniqueOrThrow({ where: { id } })
      .then((row) => ({ token: Buffer.from(row.tokenHash).toString('hex') }));
    const repeat = await other.tool('create_webhook_source', given, all);
    const changed = await scene.tool('update_webhook_source', { id, enabled: false });
    const preview = await scene.tool('delete_webhook_source', { id });
    for (const answer of [first, repeat, changed, preview]) {
      expect(textOf(answer)).not.toMatch(/whsec_|"token"|receiveUrl|\/webhooks\//);
      expect(textOf(answer)).not.toContain(token);
    }
    expect(repeat.structuredContent.source).toMatchObject({ id, name: 'shop', eventName: 'order.paid' });
    const { confirm } = preview.structuredContent;
    const done = await scene.tool('delete_webhook_source', { id, confirm });
    expect(done.structuredContent).toEqual({ deleted: { id } });
    expect(await scene.tool('create_webhook_source', { eventName: 'x', token: 'x'.repeat(20) })).toMatchObject({
      isError: true,
    });
  });

  it('replay a message once for a dedupeId, and record the agent as the one who started its runs', async () => {
    const source = await createTestSource(scene.engine, scene.projectId, { eventName: 'asked' });
    const body = Buffer.from('{"a":1}');
    const inbox = await openInbox(scene.engine, source.token, here);
    if (!inbox) throw new Error('the source is unknown');
    const headers = Object.entries(serviceHeaders(source.secret, body, scene.clock.now().getTime()));
    const receipt = await receiveMessage(scene.engine, inbox.question, { headers, body });
    if (receipt.kind !== 'accepted') throw new Error(`the message is ${receipt.kind}`);
    const { deliveryId: id } = receipt;
    const given = { id, dedupeId: 'replay a message' };
    const first = await scene.tool('replay_source_delivery', given);
    expect(first.structuredContent).toMatchObject({ deliveryId: id, status: 'ingested' });
    const before = await scene.runs();
    const repeat = await other.tool('replay_source_delivery', given, all);
    expect(repeat.structuredContent).toEqual(first.structuredContent);
    expect(await scene.runs()).toBe(before);
    await scene.settle();
    const approval = await scene.approvalOf(first.structuredContent.runId);
    expect(await scene.tool('decide_approval', { id: approval, status: 'approved' })).toMatchObject(
      refused('an agent cannot approve what it started'),
    );
  });
});

describe('redeliver_webhook at /mcp', () => {
  it('makes a delivery due once for a dedupeId, and spends no id while an attempt is in flight', async () => {
    const { db } = scene.engine;
    const { id: endpointId, url } = await created();
    const id = newId();
    const { projectId } = scene;
    await db.prisma.webhookDelivery.create({
      data: { id, projectId, app: 'shop', endpointId, url, eventKind: 'run.failed', status: 'dead', payload: {} },
    });
    const given = { id, dedupeId: 'redeliver' };
    expect((await scene.tool('redeliver_webhook', given)).structuredContent).toEqual({ id });
    await db.prisma.webhookDelivery.update({ where: { id }, data: { status: 'dead' } });
    expect((await other.tool('redeliver_webhook', given, all)).structuredContent).toEqual({ id });
    expect((await db.prisma.webhookDelivery.findUniqueOrThrow({ where: { id } })).status).toBe('dead');
    await db.query({ text: `update webhook_work set lease_id = $1 where delivery_id = $2`, values: [newId(), id] });
    const early = { id, dedupeId: 'too early' };
    expect(await scene.tool('redeliver_webhook', early)).toMatchObject(refused('webhook delivery is in flight'));
    await db.query({ text: `update webhook_work set lease_id = null where delivery_id = $1`, values: [id] });
    const made = await scene.tool('redeliver_webhook', early);
    expect(made.content[0].text).toContain('The delivery is due.');
    await db.query({ text: 'delete from webhook_work', values: [] });
    expect(await scene.tool('redeliver_webhook', { id: newId() })).toMatchObject(refused('webhook delivery not found'));
  });
});
