import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FlowSite, waitLimits } from '../e2e/flowSite.ts';
import { projectRoot } from '../support/build.ts';
import { pythonPrograms } from '../support/python.ts';
import { TcpProxy } from '../support/tcpProxy.ts';

const folder = join(projectRoot, 'examples/python');
const programs = pythonPrograms(join(folder, 'requirements.txt'));

it('the runner in Python has fewer than 120 lines', async () => {
  const lines = (await readFile(join(folder, 'runner.py'), 'utf8')).split('\n').length - 1;
  expect(lines).toBeLessThan(120);
});

describe.runIf(programs !== undefined)('the runner in Python', () => {
  let site: FlowSite;
  let proxy: TcpProxy;
  let runner: ChildProcess;
  let output = '';
  beforeAll(async () => {
    site = await FlowSite.open();
    const { baseUrl, keys } = site.service();
    proxy = await TcpProxy.open(baseUrl, ({ client, backend }) => {
      client.pipe(backend).pipe(client);
    });
    runner = spawn(join(programs ?? '', 'python'), [join(folder, 'runner.py')], {
      env: { ...process.env, HOLDFAST_URL: proxy.url.replace(/\/$/, ''), HOLDFAST_API_KEY: keys.secretKey },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [runner.stdout, runner.stderr]) stream?.on('data', (text) => (output += text));
    await isLive();
  }, 150_000);
  afterAll(async () => {
    runner?.kill();
    await proxy?.close();
    await site?.close();
  }, 60_000);

  const isLive = () =>
    vi.waitFor(
      async () =>
        expect(await site.get('/runners'), output).toContainEqual(
          expect.objectContaining({ app: 'python', live: true }),
        ),
      waitLimits,
    );
  const place = async (data: unknown): Promise<string> => {
    const { body } = await site.call('POST', '/events', { name: 'order.placed', data });
    return body.runId;
  };
  const becomes = (runId: string, run: object) =>
    vi.waitFor(async () => expect(await site.get(`/runs/${runId}`), output).toMatchObject(run), waitLimits);

  it('runs a step, sleeps, waits for an event, and returns', async () => {
    const runId = await place({ cents: 700 });
    await becomes(runId, { status: 'waiting', waitingFor: { kind: 'event' } });
    await site.call('POST', '/events', { name: 'order.settled', data: { by: 'ann' } });
    await becomes(runId, { status: 'succeeded', result: { cents: 700, by: 'ann' } });
    const steps = await site.get(`/runs/${runId}/steps`);
    expect(steps).toMatchObject([{ name: 'charge' }, { name: 'cool down' }, { name: 'settled' }]);
  });

  it('has a failed step retried, and fails the run with its error', async () => {
    const runId = await place({});
    await becomes(runId, { status: 'failed', error: { message: "'cents'" } });
    const steps = await site.get(`/runs/${runId}/steps`);
    expect(steps.map(({ attempt }: { attempt: number }) => attempt)).toEqual([1, 2, 3]);
  });

  it('dials again after its connection broke, and goes on', async () => {
    const runId = await place({ cents: 1 });
    await becomes(runId, { status: 'waiting', waitingFor: { kind: 'event' } });
    const before = proxy.accepted;
    for (const { client, backend } of proxy.pairs) for (const socket of [client, backend]) socket.destroy();
    await vi.waitFor(() => expect(proxy.accepted).toBeGreaterThan(before), waitLimits);
    await isLive();
    await site.call('POST', '/events', { name: 'order.settled', data: { by: 'ben' } });
    await becomes(runId, { status: 'succeeded', result: { by: 'ben' } });
  });

  it('ends when the service refuses its key', async () => {
    const refused = spawn(join(programs ?? '', 'python'), [join(folder, 'runner.py')], {
      env: { ...process.env, HOLDFAST_URL: site.service().baseUrl, HOLDFAST_API_KEY: 'hf_sk_wrong' },
      stdio: 'ignore',
    });
    const [code] = await once(refused, 'close');
    expect(code).toBe(1);
  });
});
