import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tools } from '../../src/mcp/tools/index.ts';
import { type McpServer, startMcp } from './mcpServer.ts';
import { type Stuffed, stuff } from './stuffed.ts';

let mcp: McpServer;
let stuffed: Stuffed;
beforeAll(async () => {
  mcp = await startMcp();
  stuffed = await stuff(mcp, 'a text');
});
afterAll(() => mcp.close());

const info = { name: 'a client', version: '1.2.3' };
type Negotiation = NonNullable<ConstructorParameters<typeof Client>[1]>['versionNegotiation'];

/** Where and with what a client connects. */
const target = () => {
  const requestInit = { headers: { authorization: `Bearer ${mcp.keys.secret}` } };
  return [new URL(`${mcp.url}?toolsets=all`), { requestInit }] as const;
};

async function connect(versionNegotiation: Negotiation) {
  const client = new Client(info, { versionNegotiation });
  await client.connect(new StreamableHTTPClientTransport(...target()));
  return client;
}

async function connectOlder() {
  const client = new OlderClient(info);
  await client.connect(new OlderTransport(...target()));
  return client;
}

const clients = [
  { name: '@modelcontextprotocol/client, pinned to 2026-07-28', open: () => connect({ mode: { pin: '2026-07-28' } }) },
  { name: '@modelcontextprotocol/client, as of 2025-11-25', open: () => connect({ mode: 'legacy' }) },
  { name: '@modelcontextprotocol/client, which negotiates', open: () => connect({ mode: 'auto' }) },
  { name: '@modelcontextprotocol/sdk, the older client', open: connectOlder },
];

describe.each(clients)('$name', ({ open }) => {
  let client: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    client = await open();
  });
  afterAll(() => client.close());

  it('learns who serves, and what the marks around data mean', () => {
    expect(client.getServerVersion()?.name).toBe('holdfast');
    expect(client.getInstructions()).toContain('<data-');
    expect(Object.keys(client.getServerCapabilities() ?? {}).sort()).toEqual([
      'completions',
      'prompts',
      'resources',
      'tools',
    ]);
  });

  it('lists every tool, and calls each', async () => {
    const listed = (await client.listTools()).tools;
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    const given: Record<string, Record<string, unknown>> = { ...stuffed.calls, ...stuffed.writes };
    for (const { name, inputSchema } of listed) {
      const once = 'dedupeId' in (inputSchema.properties ?? {}) ? { dedupeId: `${name} of a client` } : {};
      // The client itself checks the data against the schema that the list names.
      const result = await client.callTool({ name, arguments: { ...given[name], ...once } });
      const [about] = Array.isArray(result.content) ? result.content : [];
      expect([name, about?.type, result.structuredContent]).toEqual([name, 'text', expect.any(Object)]);
      if (name in stuffed.calls) expect([name, result.isError]).toEqual([name, undefined]);
    }
  });

  it('lists and reads every resource', async () => {
    const { resources } = await client.listResources();
    expect(resources.length).toBeGreaterThan(5);
    for (const { uri } of resources) expect((await client.readResource({ uri })).contents).toMatchObject([{ uri }]);
    const { resourceTemplates } = await client.listResourceTemplates();
    const values: Record<string, string> = {
      'run://{id}': stuffed.runId,
      'run://{id}/steps': stuffed.runId,
      'run://{id}/logs': stuffed.runId,
      'event://{id}': stuffed.eventId,
      'approval://{id}': stuffed.approvalId,
      '{page}': 'readme',
      '{app}': 'a%20a%20text',
      '{name}': 'w%20a%20text',
    };
    for (const { uriTemplate } of resourceTemplates) {
      const uri = uriTemplate.replace(/\{\w+\}/g, (part) => values[uriTemplate] ?? values[part] ?? '');
      expect((await client.readResource({ uri })).contents, uri).toMatchObject([{ uri }]);
    }
  });

  it('lists every prompt, and gets each', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.length).toBeGreaterThan(0);
    for (const { name, arguments: taken = [] } of prompts) {
      const id = name === 'review_approval' ? stuffed.approvalId : stuffed.runId;
      const required = taken.filter((each) => each.required).map((each) => [each.name, each.name === 'id' ? id : '2h']);
      const { messages } = await client.getPrompt({ name, arguments: Object.fromEntries(required) });
      expect([name, messages.length > 0]).toEqual([name, true]);
    }
  });

  it('completes what a person types', async () => {
    const ref = { type: 'ref/prompt', name: 'debug_run' } as const;
    const { completion } = await client.complete({ ref, argument: { name: 'id', value: stuffed.runId.slice(0, 8) } });
    expect(completion.values).toContain(stuffed.runId);
  });

  it('is told what is wrong with a call, and goes on', async () => {
    const wrong = await client.callTool({ name: 'get_run', arguments: { ident: 'x' } });
    expect(wrong).toMatchObject({ isError: true, structuredContent: { code: 'BAD_USER_INPUT' } });
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow('unknown tool');
    await expect(client.readResource({ uri: 'run://nope' })).rejects.toThrow('run not found');
  });
});
