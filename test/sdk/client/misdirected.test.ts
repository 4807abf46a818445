import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Holdfast, HoldfastApiError, HoldfastNetworkError } from '../../../sdk/src/index.ts';
import { clientOf, json } from '../support/httpDouble.ts';

/** A call of every kind, with its path. */
const calls: [path: string, call: (hf: Holdfast) => Promise<unknown>][] = [
  ['/runs/r1', (hf) => hf.runs.get('r1')],
  ['/runs/r1', (hf) => hf.runs.wait('r1')],
  ['/runs?', (hf) => hf.runs.list().next()],
  ['/runs/r1/steps', (hf) => hf.runs.steps('r1')],
  ['/runs/r1/waiting', (hf) => hf.runs.waiting('r1')],
  ['/runs/r1/diagnosis', (hf) => hf.runs.diagnosis('r1')],
  ['/runs/r1/logs', (hf) => hf.runs.logs('r1').next()],
  ['/runs/r1/cancel', (hf) => hf.runs.cancel('r1')],
  ['/runs/r1/replay', (hf) => hf.runs.replay('r1')],
  ['/runs/r1/stream', (hf) => hf.runs.stream('r1').next()],
  ['/approvals?', (hf) => hf.approvals.list()],
  ['/approvals/a1', (hf) => hf.approvals.get('a1')],
  ['/approvals/a1/decision', (hf) => hf.approvals.decide('a1', { status: 'denied' })],
  ['/events', (hf) => hf.events.send({ name: 'x' })],
  ['/workflows/default/w/trigger', (hf) => hf.workflows.trigger({ name: 'w' })],
  ['/webhook-endpoints', (hf) => hf.webhooks.endpoints.list()],
  ['/webhook-endpoints/e1', (hf) => hf.webhooks.endpoints.get('e1')],
  ['/webhook-endpoints', (hf) => hf.webhooks.endpoints.create({ url: 'https://a.test', eventKinds: ['run.failed'] })],
  ['/webhook-endpoints/e1', (hf) => hf.webhooks.endpoints.update('e1', { enabled: false })],
  ['/webhook-endpoints/e1', (hf) => hf.webhooks.endpoints.rotate('e1')],
  ['/webhook-endpoints/e1', (hf) => hf.webhooks.endpoints.delete('e1')],
  ['/webhook-sources', (hf) => hf.webhooks.sources.list()],
  ['/webhook-sources/s1', (hf) => hf.webhooks.sources.get('s1')],
  ['/webhook-sources', (hf) => hf.webhooks.sources.create({ eventName: 'x' })],
  ['/webhook-sources/s1', (hf) => hf.webhooks.sources.update('s1', { enabled: false })],
  ['/webhook-sources/s1', (hf) => hf.webhooks.sources.rotate('s1')],
  ['/webhook-sources/s1', (hf) => hf.webhooks.sources.delete('s1')],
  ['/register', (hf) => hf.register({ url: 'https://runner.test/' })],
];

describe('an answer of another server names its URL, and is not retried', () => {
  it.each<[string, number, string]>([
    ['a page', 200, '<html>'],
    ['nothing', 200, ''],
    ['an object of nothing', 200, '{}'],
    ['null', 200, 'null'],
    ['a number', 202, '7'],
    ['a page that says that there is none', 404, '<html>'],
    ['a page that asks for a password', 401, '<html>'],
    ['a page of its own failure', 500, '{"message":"oops"}'],
    ['nothing but a status', 400, ''],
  ])('with %s: %i %s', async (_what, status, text) => {
    const { hf, url, seen } = await clientOf((_seen, response) => response.writeHead(status).end(text));
    for (const [path, call] of calls) {
      const reason: unknown = await call(hf).then(
        (value) => ({ taken: value }),
        (cause: unknown) => cause,
      );
      expect(reason).toBeInstanceOf(HoldfastApiError);
      expect(reason).toMatchObject({ status, message: expect.stringContaining(`${url}${path}`) });
      expect(reason).toMatchObject({ message: expect.stringContaining(`answered ${status}`) });
    }
    expect(seen).toHaveLength(calls.length);
  });

  it('but the reason of the service stands as it is', async () => {
    const { hf } = await clientOf((_seen, response) => json(response, 404, { error: 'not found' }));
    await expect(hf.runs.get('r1')).rejects.toMatchObject({ status: 404, message: 'not found' });
  });
});

describe('without an answer', () => {
  it('the error says the address and the reason', { timeout: 30_000 }, async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await new Promise((resolve) => server.close(resolve));
    const baseUrl = `http://127.0.0.1:${port}`;
    const hf = new Holdfast({ baseUrl, apiKey: 'hf_sk_x' });
    for (const call of [hf.events.send({ name: 'x' }), hf.runs.get('r1')]) {
      const reason: unknown = await call.catch((cause: unknown) => cause);
      expect(reason).toBeInstanceOf(HoldfastNetworkError);
      expect(String(reason)).toContain(baseUrl);
      expect(String(reason)).toContain(`connect ECONNREFUSED 127.0.0.1:${port}`);
    }
  });

  it('the error has the reason of the first of several addresses', async () => {
    const fetched = globalThis.fetch;
    onTestFinished(() => {
      globalThis.fetch = fetched;
    });
    globalThis.fetch = async () => {
      const tried = new AggregateError([new Error('connect ECONNREFUSED ::1:9'), new Error('the other')]);
      throw new TypeError('fetch failed', { cause: tried });
    };
    const hf = new Holdfast({ baseUrl: 'http://localhost:9', apiKey: 'hf_sk_x' });
    await expect(hf.events.send({ name: 'x' })).rejects.toThrow(
      'no answer from http://localhost:9/events: connect ECONNREFUSED ::1:9',
    );
  });
});
