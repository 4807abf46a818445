import { randomInt } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callTally } from '../../src/mcp/index.ts';
import { type McpServer, startMcp } from './mcpServer.ts';
import { stuff } from './stuffed.ts';

/** `npm run test:nightly` sends 100,000. */
const count = Number(process.env['MCP_FUZZ_COUNT'] ?? 2_000);
const seed = Number(process.env['MCP_FUZZ_SEED'] ?? randomInt(2 ** 31));

let mcp: McpServer;
let messages: { text: string; headers: Record<string, string> }[];
const faults: string[] = [];

beforeAll(async () => {
  mcp = await startMcp();
  mcp.engine.log = pino({ level: 'error' }, { write: (line) => faults.push(line) });
  const stuffed = await stuff(mcp, 'a text');
  const ask = (method: string, params: object = {}) => {
    const prefix = 'io.modelcontextprotocol';
    const _meta = { [`${prefix}/protocolVersion`]: '2026-07-28', [`${prefix}/clientCapabilities`]: {} };
    const name = Reflect.get(params, 'name') ?? Reflect.get(params, 'uri');
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': String(name) };
    return [
      { text: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }), headers },
      { text: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers: {} },
    ];
  };
  const calls = Object.entries({ ...stuffed.calls, ...stuffed.writes }).filter(([name]) => name !== 'wait_for_run');
  messages = [
    ...calls.flatMap(([name, given]) => ask('tools/call', { name, arguments: given })),
    ...['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].flatMap((each) => ask(each)),
    ...['server/discover', 'ping', 'subscriptions/listen', 'logging/setLevel'].flatMap((each) => ask(each)),
    ...ask('resources/read', { uri: `run://${stuffed.runId}/steps` }),
    ...ask('prompts/get', { name: 'debug_run', arguments: { id: stuffed.runId } }),
    ...ask('completion/complete', {
      ref: { type: 'ref/prompt', name: 'debug_run' },
      argument: { name: 'id', value: stuffed.runId },
    }),
    ...ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'f', version: '1' } }),
  ];
});
afterAll(() => mcp.close());

/** Numbers from 0 on below a bound, the same for the same seed (mulberry32). */
function numbersOf(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const values = [
  'null',
  'true',
  '-0',
  '1e400',
  '12345678901234567890',
  '1.5',
  '""',
  '"\\ud800"',
  '"\\u0000"',
  '"__proto__"',
  '{}',
  '[]',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{}}}',
  '{"toString":1,"then":"x"}',
  `${'['.repeat(600)}${']'.repeat(600)}`,
  JSON.stringify('long '.repeat(20_000)),
  '"\'; drop table run; --"',
  '"../../../../etc/passwd"',
  '"%00%ff"',
] as const;

/** The message with one to three changes. */
function changed(text: string, next: (below: number) => number): string {
  let now = text;
  for (let left = 1 + next(3); left > 0; left -= 1) {
    const at = next(now.length + 1);
    const value = values[next(values.length)] ?? 'null';
    const members = [...now.matchAll(/"(?:[^"\\]|\\.)*":/g)];
    const member = members[next(Math.max(members.length, 1))];
    const after = member ? member.index + member[0].length : 0;
    const kind = next(7);
    if (kind === 0) now = now.slice(0, at);
    else if (kind === 1) now = now.slice(0, at) + String.fromCodePoint(next(0x2_00)) + now.slice(at + 1);
    else if (kind === 2) now = now.slice(0, at) + now.slice(at + next(20));
    else if (kind === 3 && member) now = `${now.slice(0, member.index)}"${next(1_000)}":${now.slice(after)}`;
    else if (kind === 4 && member) now = `${now.slice(0, member.index)}${member[0]}${value},${now.slice(member.index)}`;
    else now = now.slice(0, after) + now.slice(after).replace(/^("(?:[^"\\]|\\.)*"|[^,}\]]*)/, value);
  }
  return now;
}

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

interface Held {
  sockets: number;
  timers: number;
  others: number;
  heapBytes: number;
}

/** What the process holds after a collection: handles by kind, and memory. */
async function held(): Promise<Held> {
  const kinds = process.getActiveResourcesInfo();
  const sockets = kinds.filter((each) => /TCP|Pipe|Socket/i.test(each)).length;
  const timers = kinds.filter((each) => /Timeout|Immediate/.test(each)).length;
  // Twice, because finalizers of the first let go of more.
  collect();
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  return { sockets, timers, others: kinds.length - sockets - timers, heapBytes: process.memoryUsage().heapUsed };
}

/**
 * What has grown more than noise does. One handle of a hundred messages, or 500 bytes of each, is a
 * leak.
 */
function grown(now: Held, before: Held): string[] {
  const messages = (count * 4) / 5;
  const handles = 20 + messages / 100;
  const allowed = { sockets: handles, timers: handles, others: handles, heapBytes: 8 * 1024 * 1024 + messages * 500 };
  return (['sockets', 'timers', 'others', 'heapBytes'] as const)
    .filter((kind) => now[kind] > before[kind] + allowed[kind])
    .map((kind) => `${kind}: ${now[kind]} after ${before[kind]}`);
}

it(`survives ${count} messages that were changed at random (MCP_FUZZ_SEED=${seed})`, async () => {
  const next = numbersOf(seed);
  const statuses = new Map<number, number>();
  const send = async (): Promise<void> => {
    const message = messages[next(messages.length)];
    if (!message) return;
    const body = changed(message.text, next);
    const headers = next(10) === 0 ? { 'mcp-method': values[next(8)] ?? '' } : message.headers;
    const answer = await fetch(next(4) === 0 ? mcp.url : `${mcp.url}?toolsets=all`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${next(5) === 0 ? mcp.keys.public : mcp.keys.secret}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body,
    });
    const text = await answer.text();
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (answer.status >= 500 || text.includes('internal error')) faults.push(`${answer.status} ${text}: ${body}`);
  };
  const sendMany = async (many: number): Promise<void> => {
    for (let sent = 0; sent < many; sent += 16) await Promise.all(Array.from({ length: 16 }, send));
  };
  // The first fifth fills pools and caches, and compiles.
  await sendMany(count / 5);
  const before = await held();
  await sendMany((count * 4) / 5);
  expect(faults.map((each) => each.slice(0, 2_000))).toEqual([]);
  // Both sides of the checks were reached.
  expect(statuses.get(200)).toBeGreaterThan(count / 10);
  expect(statuses.get(400)).toBeGreaterThan(count / 100);
  for (const [tool, outcomes] of callTally(mcp.engine))
    expect([tool, outcomes.get('fault')]).toEqual([tool, undefined]);
  expect(mcp.bodies.heldBytes).toBe(0);
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
  const leaks = async () => grown(await held(), before);
  await expect.poll(leaks, { timeout: 60_000, interval: 1_000 }).toEqual([]);
  expect((await mcp.request('tools/list')).status).toBe(200);
}, 3_600_000);
