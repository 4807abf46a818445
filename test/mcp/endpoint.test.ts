import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type McpServer, startMcp } from './mcpServer.ts';

let mcp: McpServer;
beforeAll(async () => {
  mcp = await startMcp({ mcp: { allowedHosts: ['agents.example.com'], allowedOrigins: ['https://app.example.com'] } });
});
afterAll(() => mcp.close());

const post = (headers: Record<string, string>, body = '{}') => fetch(mcp.url, { method: 'POST', headers, body });
const bearer = () => ({ authorization: `Bearer ${mcp.keys.secret}` });

describe('/mcp (5.7)', () => {
  it('answers a tool of a run that does not exist with the reason that REST gives', async () => {
    expect(await mcp.tool('get_run', { id: 'nope' })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'run not found' }],
      structuredContent: { error: 'run not found', code: 'NOT_FOUND' },
    });
  });

  it('names an unknown argument, and what the tool takes', async () => {
    expect(await mcp.tool('get_run', { ident: 'x' })).toMatchObject({
      isError: true,
      structuredContent: { error: 'unknown argument "ident": get_run takes id, maxBytes' },
    });
  });

  it('refuses callers without a key before it reads the body', async () => {
    const answer = await post({}, '{ no JSON');
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('takes POST only', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await fetch(mcp.url, { method, headers: bearer() });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });

  it('refuses pages of strangers, and answers those that are allowed with their origin', async () => {
    const strange = await post({ origin: 'https://evil.example', ...bearer() });
    expect([strange.status, await strange.json()]).toEqual([403, { error: 'origin not allowed' }]);
    const allowed = await post({ origin: 'https://app.example.com', ...bearer() });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
  });

  it('refuses batches', async () => {
    const answer = await post({ 'content-type': 'application/json', ...bearer() }, '[]');
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: -32_600 } }]);
  });

  it('names the toolsets that an address may choose', async () => {
    const { status, error } = await mcp.request('tools/list', {}, { search: 'toolsets=runs,none' });
    expect([status, error]).toEqual([
      400,
      'toolsets must be a comma list of runs, workflows, events, approvals, docs, insights, bulk, webhooks, or all',
    ]);
  });
});
