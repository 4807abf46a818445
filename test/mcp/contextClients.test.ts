import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type McpServer, startMcp } from './mcpServer.ts';
import { type Planted, plant } from './planted.ts';

let mcp: McpServer;
let planted: Planted;
beforeAll(async () => {
  mcp = await startMcp();
  planted = await plant(mcp, mcp.projectId);
});
afterAll(() => mcp.close());

type Connected = Pick<
  Client,
  'listResources' | 'listResourceTemplates' | 'readResource' | 'listPrompts' | 'getPrompt' | 'complete' | 'close'
>;

const requestInit = () => ({ requestInit: { headers: { Authorization: `Bearer ${mcp.keys.public}` } } });
const info = { name: 'a client', version: '1' };

/** A client of the present SDK, and one that people still have. */
const clients: Record<string, () => Promise<Connected>> = {
  async '@modelcontextprotocol/client'() {
    const client = new Client(info);
    await client.connect(new StreamableHTTPClientTransport(new URL(mcp.url), requestInit()));
    return client;
  },
  async '@modelcontextprotocol/sdk'() {
    const client = new OlderClient(info);
    await client.connect(new OlderTransport(new URL(mcp.url), requestInit()));
    return client as unknown as Connected;
  },
};

describe('resources, prompts and completions', () => {
  it.each(Object.keys(clients))('are understood by %s', async (name) => {
    const client = await clients[name]?.();
    if (!client) throw new Error('no client');
    try {
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toContain('doc://sdk');
      expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(7);
      const { contents } = await client.readResource({ uri: `run://${planted.runId}` });
      expect(contents[0]).toMatchObject({ mimeType: 'text/plain', text: expect.stringContaining(planted.runId) });
      await expect(client.readResource({ uri: 'run://nothing' })).rejects.toMatchObject({ code: -32_602 });
      expect((await client.listPrompts()).prompts).toHaveLength(5);
      const prompt = await client.getPrompt({ name: 'debug_run', arguments: { id: planted.runId } });
      expect(prompt.messages).toHaveLength(2);
      expect((await client.getPrompt({ name: 'write_workflow' })).messages.length).toBeGreaterThan(3);
      const { completion } = await client.complete({
        ref: { type: 'ref/resource', uri: 'workflow://{app}/{name}' },
        argument: { name: 'name', value: '' },
        context: { arguments: { app: planted.app } },
      });
      expect(completion.values).toEqual([planted.workflow]);
    } finally {
      await client.close();
    }
  });
});
