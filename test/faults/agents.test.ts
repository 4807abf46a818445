import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Connection, Holdfast } from '../../sdk/src/index.ts';
import { type Anything, askMcp, lastMessage } from '../mcp/askMcp.ts';
import { Cluster } from './kit/cluster.ts';
import { OwnServer } from './kit/ownServer.ts';
import { upWithinMs, within } from './kit/scale.ts';
import { until } from './kit/trial.ts';

/** Waits of agents for a run, while a process or the database goes. */
let server: OwnServer;
let cluster: Cluster;
let connection: Connection;
let release: () => void;

/** A call that is cut has to end soon after. */
const soonMs = 15_000;

beforeEach(async () => {
  server = await OwnServer.open();
  cluster = await Cluster.open(2, { database: { url: server.url, drop: () => server.close() } });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hf = new Holdfast({ baseUrl: cluster.at(1).baseUrl, apiKey: cluster.keys.secretKey, app: 'agents' });
  hf.workflow({ id: 'flow', retry: { maxAttempts: 5 } }, async ({ step }) => {
    await step.run('work', () => released);
    return 'done';
  });
  connection = hf.connect({ runner: 'r' });
  await connection.ready;
}, upWithinMs);

afterEach(async () => {
  release();
  await connection.close();
  await cluster.close();
}, upWithinMs);

/** Calls a tool at an instance. Rejects if the connection is cut, or the answer does not come. */
function tool(baseUrl: string, name: string, given: object, withinMs = 70_000): Promise<Anything> {
  const caller = { key: cluster.keys.secretKey, signal: AbortSignal.timeout(withinMs) };
  return askMcp(`${baseUrl}/mcp`, caller, { method: 'tools/call', params: { name, arguments: given } });
}

/** Starts a run. */
async function start(): Promise<string> {
  const given = { app: 'agents', name: 'flow', dedupeId: `start ${performance.now()}` };
  const { result } = await tool(cluster.at(1).baseUrl, 'trigger_workflow', given);
  return result.structuredContent.runId;
}

/** A wait that the service has begun. `end` is how it ends: its message, or the error of a cut. */
async function begin(baseUrl: string, id: string, timeoutMs: number): Promise<{ end: Promise<Anything> }> {
  const prefix = 'io.modelcontextprotocol';
  const answer = await fetch(`${baseUrl}/mcp`, {
    method: 'POST',
    signal: AbortSignal.timeout(timeoutMs + soonMs),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${cluster.keys.secretKey}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'wait_for_run',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'wait_for_run',
        arguments: { id, timeoutMs },
        _meta: {
          [`${prefix}/protocolVersion`]: '2026-07-28',
          [`${prefix}/clientInfo`]: { name: 'a test', version: '1' },
          [`${prefix}/clientCapabilities`]: {},
          progressToken: 1,
        },
      },
    }),
  });
  // Its progress is told at once, so the service waits by now.
  expect(answer.status).toBe(200);
  const end = answer.text().then(
    (text) => lastMessage(text),
    (error: unknown) => ({ cut: error }),
  );
  return { end };
}

const away = 'the database cannot answer now: retry';

/** A process refuses the call, or its tool does if the key was read less than two seconds ago. */
const saysAway = ({ status, error, result }: Anything): boolean =>
  status === 503 ? error === away : result?.isError === true && result.structuredContent.error === away;

const succeeded = (id: string) => ({ result: { structuredContent: { id, status: 'succeeded', result: 'done' } } });

/** What an agent does: it repeats the call until the run has ended. */
async function waitForEnd(baseUrl: string, id: string): Promise<Anything> {
  let last: Anything;
  await until(async () => {
    last = await tool(baseUrl, 'wait_for_run', { id, timeoutMs: 20_000 }).catch((error: unknown) => ({ error }));
    return last.result?.structuredContent?.status === 'succeeded';
  }, 'the end of the run');
  return last.result.structuredContent;
}

async function elapsed<Value>(promise: Promise<Value>): Promise<{ value: Value; ms: number }> {
  const from = performance.now();
  const value = await promise;
  return { value, ms: performance.now() - from };
}

describe('wait_for_run', () => {
  test(
    'is cut when its process is killed, and answers the end at another process and at its successor',
    async () => {
      const id = await start();
      const first = cluster.at(0);
      const { end } = await begin(first.baseUrl, id, 55_000);
      await first.process.end('SIGKILL');
      const { value, ms } = await elapsed(end);
      expect(value).toMatchObject({ cut: expect.any(Error) });
      expect(ms).toBeLessThan(soonMs);
      await expect(tool(first.baseUrl, 'wait_for_run', { id }, soonMs)).rejects.toThrow('fetch failed');

      const other = await begin(cluster.at(1).baseUrl, id, 55_000);
      await cluster.replace(first);
      const successor = await begin(first.baseUrl, id, 55_000);
      release();
      // The successor of a dispatcher takes over when the lease of the pass has expired.
      expect(await other.end).toMatchObject(succeeded(id));
      expect(await successor.end).toMatchObject(succeeded(id));
    },
    within(1, 120_000),
  );

  test.each(['SIGQUIT', 'SIGKILL'] as const)(
    'ends within its time when the database goes (%s), says so, and answers the end once it is back',
    async (signal) => {
      const id = await start();
      const { baseUrl } = cluster.at(0);
      const short = await begin(baseUrl, id, 8_000);
      const long = await begin(cluster.at(1).baseUrl, id, 55_000);
      server.kill(signal);
      await until(async () => (await fetch(`${baseUrl}/health/ready`)).status === 503, 'readiness to be denied');

      const { value, ms } = await elapsed(short.end);
      expect(value).toMatchObject({ result: { isError: true, structuredContent: { error: away, code: 'BUSY' } } });
      expect(ms).toBeLessThan(8_000 + soonMs);
      for (const at of [cluster.at(0), cluster.at(1)]) {
        const answered = await elapsed(tool(at.baseUrl, 'wait_for_run', { id, timeoutMs: 2_000 }));
        expect(saysAway(answered.value)).toBe(true);
        expect(answered.ms).toBeLessThan(2_000 + soonMs);
      }
      await server.start();
      release();
      // A wait with time left goes on over the loss.
      expect(await long.end).toMatchObject(succeeded(id));
      for (const at of [cluster.at(0), cluster.at(1)])
        expect(await waitForEnd(at.baseUrl, id)).toMatchObject({ id, status: 'succeeded', result: 'done' });
      for (const { process } of cluster.instances) expect(process.child.exitCode).toBeNull();
    },
    within(1, 120_000),
  );
});
