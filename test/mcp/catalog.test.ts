import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instructions } from '../../src/mcp/protocol/instructions.ts';
import { tools } from '../../src/mcp/tools/index.ts';
import { type DocumentRoute, routes } from '../../src/rest/index.ts';
import { type McpServer, startMcp } from './mcpServer.ts';

/** What models see of a tool. */
const seen = ({ name, description, inputSchema }: { name: string; description: string; inputSchema: unknown }) => ({
  name,
  description,
  inputSchema,
});
const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const byDefault = ['runs', 'workflows', 'events', 'approvals', 'docs'];

/**
 * Routes beyond 4.1, and those with secrets of a project: a person's business. An agent sends
 * single events: a thousand starts in one call could not be shown to a person.
 */
const withoutTool = [
  'POST /workflows/{app}/{name}/retire',
  'POST /workflows/{app}/{name}/restore',
  'POST /events/batch',
  'POST /ai/providers/{provider}/check',
  'POST /stream-tickets',
];

describe.each(tools.map((tool) => tool))('$name', (tool) => {
  const { name, annotations, isWrite } = tool;

  it('has the annotations of what it does', () => {
    const has = (...words: string[]): boolean => words.some((word) => name.startsWith(word));
    expect(annotations).toEqual({
      ...(!isWrite && { readOnlyHint: true }),
      ...(has('cancel_', 'decide_', 'bulk_', 'delete_') && { destructiveHint: true }),
      ...(has('pause_', 'resume_', 'cancel_', 'decide_', 'update_', 'delete_') && { idempotentHint: true }),
      ...(runsCode(name) && { openWorldHint: true }),
    });
  });

  it('has a short description, a title, and schemas of objects', () => {
    expect(tool.description.length).toBeLessThanOrEqual(600);
    expect(tool.title).not.toBe('');
    expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(tool.outputSchema).toMatchObject({ type: 'object' });
  });

  it('speaks of no header and of no URL of REST', () => {
    expect(JSON.stringify(seen(tool))).not.toMatch(/X-[A-Z]|query parameter|header `/);
  });
});

/**
 * Whether a call makes code run, or a request leave the service. Endpoints are told of cancelled
 * runs, and an enabled endpoint of what waited for it.
 */
const runsCode = (name: string): boolean =>
  /^(trigger_|send_|replay_|retry_|resume_|decide_|cancel_|bulk_|redeliver_|(create|update)_webhook_endpoint)/.test(
    name,
  );

describe('the tools', () => {
  let mcp: McpServer;
  beforeAll(async () => {
    mcp = await startMcp();
  });
  afterAll(() => mcp.close());

  it('are few enough to be read: 20 KiB by default, 48 KiB in all, 2 KiB of instructions', () => {
    const ofDefault = tools.filter(({ toolset }) => byDefault.includes(toolset)).map(seen);
    expect(bytes(ofDefault)).toBeLessThanOrEqual(20 * 1024);
    expect(bytes(tools.map(seen))).toBeLessThanOrEqual(48 * 1024);
    expect(Buffer.byteLength(instructions)).toBeLessThanOrEqual(2 * 1024);
  });

  it('have names of their own', () => {
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
  });

  it('are one for every route of 4.1 that reads', () => {
    const run = new Set(tools.flatMap(({ routes: of }) => of));
    const missing = documentRoutes.filter((route) => route.scope === 'read' && !run.has(route));
    expect(missing.map(nameOf)).toEqual([]);
  });

  it('are one for every route of 4.1 that writes, once any of them is there', () => {
    if (!tools.some(({ isWrite }) => isWrite)) return;
    const run = new Set(tools.flatMap(({ routes: of }) => of));
    const missing = documentRoutes.filter((route) => route.scope === 'write' && !run.has(route));
    expect(missing.map(nameOf)).toEqual(withoutTool);
  });

  it('run documents of REST only', () => {
    for (const { name, toolset, routes: run } of tools) {
      if (toolset !== 'docs') expect(run.length, name).toBeGreaterThan(0);
      for (const route of run) expect(routes, name).toContain(route);
    }
  });

  it('are listed as the address says, byte for byte the same each time', async () => {
    for (const search of ['', 'toolsets=all', 'toolsets=insights,runs', 'toolsets=all&readonly=1']) {
      const first = await mcp.request('tools/list', {}, { search });
      const other = await mcp.request('tools/list', {}, { search, key: mcp.keys.public });
      expect(JSON.stringify(other.result)).toBe(JSON.stringify(first.result));
      expect(first.result).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' });
    }
    const { result } = await mcp.request('tools/list', {}, { search: 'toolsets=all&readonly=1' });
    expect(result.tools.every((tool: { annotations: object }) => 'readOnlyHint' in tool.annotations)).toBe(true);
  });

  it('that are not offered name the toolset to add, beside those that the address has', async () => {
    const { error } = await mcp.request('tools/call', { name: 'get_ai_spend', arguments: {} });
    expect(error.message).toBe(
      'get_ai_spend is not offered here: add its toolset to the address: ?toolsets=runs,workflows,events,approvals,docs,insights',
    );
  });

  it('take a span back from now as since, and say so of anything else', async () => {
    for (const since of ['90s', '2h', '7d', '999999w', '2026-01-31T08:00:00Z'])
      expect((await mcp.tool('list_runs', { since })).isError, since).toBeUndefined();
    for (const since of ['yesterday', '2 hours', '24hours', '-2h', '', 7, '2026-13-31'])
      expect((await mcp.tool('list_runs', { since })).structuredContent, String(since)).toMatchObject({
        error: 'since must be an RFC 3339 timestamp, or a span back from now such as 30m, 2h or 7d',
        code: 'BAD_USER_INPUT',
      });
  });

  it('are counted by outcome in /metrics', async () => {
    const { Registry } = await import('prom-client');
    const { mcpMetrics } = await import('../../src/mcp/index.ts');
    const registry = new Registry();
    mcpMetrics(mcp.engine)([registry]);
    await mcp.tool('get_run_stats');
    await mcp.tool('get_run', { id: 'x' });
    const text = await registry.metrics();
    expect(text).toContain('holdfast_mcp_calls_total{tool="get_run_stats",outcome="answered"} 1');
    expect(text).toContain('holdfast_mcp_calls_total{tool="get_run",outcome="refused"} 1');
    expect(await registry.metrics()).toBe(text);
  });
});

const documentRoutes = routes.filter((route): route is DocumentRoute => route.kind === 'document');
const nameOf = ({ method, path }: DocumentRoute): string => `${method} ${path}`;
