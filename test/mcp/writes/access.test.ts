import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tools } from '../../../src/mcp/tools/index.ts';
import { minute, openWrites, refused, type WriteScene } from './writeScene.ts';

let scene: WriteScene;
beforeAll(async () => {
  scene = await openWrites({ mcp: { writesPerMinute: 1_000 } });
});
afterAll(() => scene.close());

const writes = tools.filter(({ isWrite }) => isWrite);

const [destructive, idempotent, open] = [
  { destructiveHint: true },
  { idempotentHint: true },
  { openWorldHint: true },
] as const;

/** Every write tool, and its hints. */
const hints: Readonly<Record<string, object>> = {
  cancel_run: { ...destructive, ...idempotent, ...open },
  pause_run: idempotent,
  resume_run: { ...idempotent, ...open },
  replay_run: open,
  retry_run_from_step: open,
  trigger_workflow: open,
  send_event: open,
  decide_approval: { ...destructive, ...idempotent, ...open },
  bulk_replay_runs: { ...destructive, ...open },
  bulk_cancel_runs: { ...destructive, ...open },
  create_webhook_endpoint: open,
  update_webhook_endpoint: { ...idempotent, ...open },
  delete_webhook_endpoint: { ...destructive, ...idempotent },
  create_webhook_source: {},
  update_webhook_source: idempotent,
  delete_webhook_source: { ...destructive, ...idempotent },
  redeliver_webhook: open,
  replay_source_delivery: open,
};

/** Arguments with which only the key can be wrong. */
const givenOf = ({ inputSchema: { properties = {}, required = [] } }: (typeof tools)[number]): object =>
  Object.fromEntries(
    required.map((name) => {
      const { enum: words, type, items } = properties[name] ?? {};
      const word = words?.[0] ?? 'x';
      return [name, type === 'array' ? [items?.enum?.[0] ?? word] : word];
    }),
  );

describe('a write tool at /mcp', () => {
  it('is one of the table, with its hints', () => {
    expect(Object.fromEntries(writes.map(({ name, annotations }) => [name, annotations]))).toEqual(hints);
  });

  it.each(writes.map((tool) => [tool.name, tool] as const))(
    'answers a public key with the need for a secret one, and changes nothing: %s',
    async (name, tool) => {
      const before = await scene.audit();
      expect(await scene.tool(name, givenOf(tool), { key: scene.mcp.keys.public })).toMatchObject(
        refused('a full-access (secret) key is required', 'FORBIDDEN'),
      );
      expect(await scene.audit()).toEqual(before);
    },
  );

  it('takes a dedupeId unless a repeat changes nothing anyway', () => {
    const taking = writes.filter(({ inputSchema }) => inputSchema.properties?.['dedupeId'] !== undefined);
    const others = writes.filter((tool) => !taking.includes(tool));
    for (const { annotations } of others) expect(annotations).toMatchObject(idempotent);
    for (const { description, inputSchema } of taking)
      expect(inputSchema.properties?.['confirm'] !== undefined || description.includes('Pass a dedupeId')).toBe(true);
  });

  it('has a description of at most 600 characters', () => {
    for (const { description } of writes) expect(description.length).toBeLessThanOrEqual(600);
  });

  it('takes no secret, and its answer has none', () => {
    const secret = /secret|token|receiveUrl/i;
    for (const { inputSchema, outputSchema } of writes) {
      for (const name of Object.keys(inputSchema.properties ?? {})) expect(name).not.toMatch(secret);
      expect(JSON.stringify(outputSchema)).not.toMatch(/"(secret|token|receiveUrl)":/);
    }
  });

  it('answers ids of another project as unknown ones', async () => {
    const { secret: key } = await scene.mcp.stranger();
    const id = await scene.start('pay');
    const approval = await scene.approvalOf(id);
    const endpoint = await scene.tool('create_webhook_endpoint', {
      url: 'https://a.example',
      eventKinds: ['run.failed'],
    });
    const source = await scene.tool('create_webhook_source', { eventName: 'x' });
    const sweep: readonly [string, object, string][] = [
      ['cancel_run', { id }, 'run not found'],
      ['pause_run', { id }, 'run not found'],
      ['resume_run', { id }, 'run not found'],
      ['replay_run', { id, dedupeId: 'x' }, 'run not found'],
      ['retry_run_from_step', { id, step: 'sign' }, 'run not found'],
      ['decide_approval', { id: approval, status: 'approved' }, 'approval not found'],
      ['update_webhook_endpoint', { id: endpoint.structuredContent.endpoint.id }, 'webhook endpoint not found'],
      ['delete_webhook_endpoint', { id: endpoint.structuredContent.endpoint.id }, 'webhook endpoint not found'],
      ['update_webhook_source', { id: source.structuredContent.source.id }, 'webhook source not found'],
      ['delete_webhook_source', { id: source.structuredContent.source.id }, 'webhook source not found'],
      ['trigger_workflow', { app: 'shop', name: 'pay' }, 'workflow pay is not registered in app shop'],
    ];
    for (const [name, given, error] of sweep)
      expect(await scene.tool(name, given, { key })).toMatchObject(refused(error));
    const preview = await scene.tool('bulk_cancel_runs', { app: 'shop' }, { key });
    expect(preview.structuredContent).toMatchObject({ preview: { matched: 0 } });
    expect((await scene.run(id)).status).toBe('needs_attention');
  });
});

describe('MCP_WRITES_PER_MINUTE', () => {
  it('bounds the write calls of a key in a process, with the seconds to wait; reads go on', async () => {
    const bounded = await openWrites({ mcp: { writesPerMinute: 3 } });
    const send = (key = bounded.mcp.keys.secret) => bounded.tool('send_event', { name: 'x' }, { key });
    for (let each = 0; each < 3; each += 1) expect(await send()).not.toHaveProperty('isError', true);
    expect(await send()).toMatchObject(refused('too many writes of this key: wait 20 seconds', 'BUSY'));
    expect(await bounded.tool('list_runs')).not.toHaveProperty('isError', true);
    expect(await send(await bounded.newKey())).not.toHaveProperty('isError', true);
    bounded.clock.advance(19_000);
    expect(await send()).toMatchObject(refused('too many writes of this key: wait 1 seconds'));
    bounded.clock.advance(1_000);
    expect(await send()).not.toHaveProperty('isError', true);
    bounded.clock.advance(10 * minute);
    for (let each = 0; each < 3; each += 1) expect(await send()).not.toHaveProperty('isError', true);
    expect(await send()).toHaveProperty('isError', true);
    await bounded.close();
  });
});
