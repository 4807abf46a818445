import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { tools } from '../../src/mcp/tools/index.ts';
import { type McpServer, startMcp } from './mcpServer.ts';
import { type Stuffed, stuff } from './stuffed.ts';

let mcp: McpServer;
let stuffed: Stuffed;
let key: string;
beforeAll(async () => {
  mcp = await startMcp();
  stuffed = await stuff(mcp);
  key = (await mcp.stranger()).secret;
});
afterAll(() => mcp.close());

const reads = tools.filter(({ isWrite, toolset }) => !isWrite && toolset !== 'docs').map(({ name }) => name);
const owners = ['id', 'runId', 'eventId'];
const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

describe.each(reads)('%s', (name) => {
  it('shows a stranger nothing: ids of another project answer as unknown ones', async () => {
    const given = stuffed.calls[name] ?? {};
    const search = 'toolsets=all';
    const answer = await mcp.tool(name, given, { key, search });
    const owner = owners.find((each) => each in given);
    if (owner === undefined) {
      expect(answer).not.toHaveProperty('isError');
      const text = JSON.stringify(answer.structuredContent);
      expect(text).not.toMatch(uuid);
      expect(text).not.toContain('aaaa');
      return;
    }
    const unknown = await mcp.tool(name, { ...given, [owner]: newId() }, { key, search });
    expect(unknown).toMatchObject({ isError: true, structuredContent: { code: 'NOT_FOUND' } });
    expect(answer).toEqual(unknown);
  });
});

describe('read_payload', () => {
  it.each([
    ['steps', '/steps/0.1/output'],
    ['logs', '/logs/1/message'],
    ['result', '/result'],
  ])('shows a stranger no %s of a run', async (_what, path) => {
    expect(await mcp.tool('read_payload', { runId: stuffed.runId, path }, { key })).toMatchObject({
      structuredContent: { error: 'run not found' },
    });
  });

  it.each([
    ['eventId', 'get_event', '/data', 'event not found'],
    ['approvalId', 'get_approval', '/args', 'approval not found'],
    ['deliveryId', 'get_webhook_delivery', '/payload', 'webhook delivery not found'],
    ['sourceDeliveryId', 'get_webhook_source_delivery', '/body', 'webhook delivery not found'],
  ])('shows a stranger nothing by %s', async (owner, tool, path, error) => {
    const given = { [owner]: stuffed.calls[tool]?.['id'], path };
    expect(await mcp.tool('read_payload', given)).not.toHaveProperty('isError');
    expect(await mcp.tool('read_payload', given, { key })).toMatchObject({ structuredContent: { error } });
  });
});

describe('a public key', () => {
  it('reads with every tool', async () => {
    for (const name of reads)
      expect(
        await mcp.tool(name, stuffed.calls[name], { key: mcp.keys.public, search: 'toolsets=all' }),
        name,
      ).not.toHaveProperty('isError');
  });
});

describe('no tool', () => {
  it('shows the token or the address of a webhook source, or the query of a URL', async () => {
    const search = 'toolsets=all';
    const { structuredContent } = await mcp.tool('list_webhook_sources', {}, { search });
    expect(structuredContent.sources).toHaveLength(1);
    expect(structuredContent.sources[0]).not.toHaveProperty('token');
    expect(structuredContent.sources[0]).not.toHaveProperty('receiveUrl');
    await mcp.engine.db.query(`update webhook_endpoint set url = 'https://x.test/hook?token=abc'`);
    const { structuredContent: shown } = await mcp.tool('list_webhook_endpoints', {}, { search });
    expect(shown.endpoints[0].url).toBe('https://x.test/hook?…');
  });
});
