import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mcpClients } from '../../src/cli/mcpConfig.ts';
import { type McpServer, startMcp } from '../mcp/mcpServer.ts';
import { cli } from './cli.ts';

let mcp: McpServer;
let dataDir: string;
beforeAll(async () => {
  mcp = await startMcp();
  dataDir = await mkdtemp(join(tmpdir(), 'holdfast-mcp-config-'));
  const { secret, public: publicKey, operator } = mcp.keys;
  const keys = {
    baseUrl: mcp.url.replace(/\/mcp$/, ''),
    operatorKey: operator,
    projectId: mcp.projectId,
    secretKey: secret,
    publicKey,
  };
  await writeFile(join(dataDir, 'keys.json'), JSON.stringify(keys));
});
afterAll(async () => {
  await rm(dataDir, { recursive: true });
  await mcp.close();
});

const config = (client: string, ...args: string[]) =>
  cli({ DATA_DIR: dataDir }, 'mcp-config', '--client', client, ...args);

const headers = z.strictObject({ Authorization: z.string() });
const url = z.string();
const http = z.literal('http');

/** Reads the address and the headers as each client does, which know no further members. */
const readers: Record<string, (text: string) => { url: string; headers: { Authorization: string } }> = {
  'claude-code': (text) =>
    z
      .strictObject({ mcpServers: z.strictObject({ holdfast: z.strictObject({ type: http, url, headers }) }) })
      .parse(JSON.parse(text)).mcpServers.holdfast,
  cursor: (text) =>
    z
      .strictObject({ mcpServers: z.strictObject({ holdfast: z.strictObject({ url, headers }) }) })
      .parse(JSON.parse(text)).mcpServers.holdfast,
  vscode: (text) =>
    z
      .strictObject({ servers: z.strictObject({ holdfast: z.strictObject({ type: http, url, headers }) }) })
      .parse(JSON.parse(text)).servers.holdfast,
  codex: (text) => {
    const shape = z.strictObject({
      mcp_servers: z.strictObject({ holdfast: z.strictObject({ url, http_headers: headers }) }),
    });
    const { holdfast } = shape.parse(parse(text)).mcp_servers;
    return { url: holdfast.url, headers: holdfast.http_headers };
  },
};

async function toolsBy(text: string, client: string): Promise<string[]> {
  const read = readers[client]?.(text);
  if (!read) throw new Error(`no reader of ${client}`);
  const agent = new Client({ name: client, version: '1' });
  await agent.connect(new StreamableHTTPClientTransport(new URL(read.url), { requestInit: { headers: read.headers } }));
  try {
    return (await agent.listTools()).tools.map(({ name }) => name);
  } finally {
    await agent.close();
  }
}

describe('holdfast mcp-config', () => {
  it.each(Object.keys(mcpClients))('prints what %s needs to use the tools, with the public key', async (client) => {
    const { code, out, err } = await config(client);
    expect(code).toBe(0);
    expect(out).toContain(mcp.keys.public);
    expect(out + err).not.toContain(mcp.keys.secret);
    expect(err).toMatch(/^Put this into .+\. Its key is public and only reads\.\n$/);
    expect(await toolsBy(out, client)).toContain('get_run');
  });

  it('prints the secret key when told, and never the operator key', async () => {
    const { out, err } = await config('claude-code', '--secret');
    expect(out).toContain(mcp.keys.secret);
    expect(err).toContain('keep the file out of repositories');
    expect(out + err).not.toContain(mcp.keys.operator);
  });

  it('puts the toolsets into the address', async () => {
    for (const client of Object.keys(mcpClients)) {
      const { out } = await config(client, '--toolsets', 'docs,events', '--readonly');
      expect(readers[client]?.(out).url).toBe(`${mcp.url}?toolsets=docs,events&readonly=1`);
      expect(await toolsBy(out, client)).not.toContain('get_run');
    }
    const wrong = await config('codex', '--toolsets', 'docs,nothing');
    expect(wrong).toMatchObject({ code: 1, out: '', err: expect.stringContaining('runs, workflows, events') });
  });

  it('takes another service, and prints a secret key of the environment only when told', async () => {
    const env = { DATA_DIR: dataDir, HOLDFAST_URL: 'https://flows.example.com/', HOLDFAST_API_KEY: mcp.keys.public };
    const { out } = await cli(env, 'mcp-config', '--client', 'cursor');
    expect(readers['cursor']?.(out)).toEqual({
      url: 'https://flows.example.com/mcp',
      headers: { Authorization: `Bearer ${mcp.keys.public}` },
    });
    const secret = { ...env, HOLDFAST_API_KEY: mcp.keys.secret };
    const refused = await cli(secret, 'mcp-config', '--client', 'cursor');
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('pass --secret') });
    expect(await cli(secret, 'mcp-config', '--client', 'cursor', '--secret')).toMatchObject({ code: 0 });
    const noKey = await cli(
      { DATA_DIR: dataDir, HOLDFAST_URL: 'https://flows.example.com' },
      'mcp-config',
      '--client',
      'cursor',
    );
    expect(noKey).toMatchObject({ code: 1, err: expect.stringContaining('set HOLDFAST_API_KEY') });
  });

  it('refuses unknown clients, and says what is missing without keys', async () => {
    expect(await config('emacs')).toMatchObject({ code: 1, err: expect.stringContaining('claude-code') });
    const nothing = await cli({ DATA_DIR: join(dataDir, 'none') }, 'mcp-config', '--client', 'codex');
    expect(nothing).toMatchObject({ code: 1, out: '', err: expect.stringContaining('npm start') });
  });
});
