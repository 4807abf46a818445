import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import express, { type RequestHandler } from 'express';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ClientOptions, Holdfast, serve, signatureHeader, verifySignature } from '../../../sdk/src/index.ts';
import { bodyLimitBytes } from '../../../sdk/src/protocol.ts';
import { toNodeHandler } from '../../../sdk/src/serve/node.ts';
import type { FetchHandler } from '../../../sdk/src/serve/serve.ts';
import { httpDouble, json } from '../support/httpDouble.ts';

const secret = 'whsec_of-the-app';
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function client(options: ClientOptions = { invokeSecret: secret }): Holdfast {
  const hf = new Holdfast({ apiKey: 'k', logger: { info: () => {}, warn: () => {}, error: () => {} }, ...options });
  hf.workflow({ id: 'greet' }, async ({ event, step }) => step.run('say', () => event.data));
  return hf;
}
const invokeBody = (workflow = 'greet', data: unknown = 'hello', steps: object = {}) =>
  JSON.stringify({
    event: { name: workflow, data },
    steps,
    ctx: { runId: 'r1', workflow, attempt: 1, app: 'default', runner: '' },
  });
const post = (
  body: string,
  headers: Record<string, string> = { 'x-service-signature': signatureHeader(body, secret) },
) => new Request('http://runner/holdfast', { method: 'POST', body, headers });
const seconds = (ms: number) => Math.floor(ms / 1000);
const sign = (t: number | string, body: string, key = secret) =>
  createHmac('sha256', key).update(`${t}.${body}`).digest('hex');

describe('a signed invoke', () => {
  it('is run and answered with the opcodes of its pass', async () => {
    const response = await serve(client())(post(invokeBody()));
    expect(response.status).toBe(206);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ opcodes: [{ op: 'StepRun', name: 'say', data: 'hello' }], logs: [] });
  });

  it('is refused with 404 for an unknown workflow, with 400 where it is no invoke', async () => {
    const handler = serve(client());
    expect((await handler(post(invokeBody('nobody')))).status).toBe(404);
    for (const body of ['', 'no json', '[]', '{"event":{}}']) expect((await handler(post(body))).status).toBe(400);
  });

  it('may carry a memo of megabytes; the answer stays within 1 MiB', async () => {
    const hf = client();
    hf.workflow({ id: 'echo' }, async ({ event }) => event.data);
    const large = await serve(hf)(post(invokeBody('greet', 'x'.repeat(5_000_000))));
    expect(large.status).toBe(206);
    const answer = await serve(hf)(post(invokeBody('echo', 'x'.repeat(5_000_000))));
    expect(answer.status).toBe(500);
    expect((await answer.arrayBuffer()).byteLength).toBeLessThan(bodyLimitBytes);
  });

  it('may carry all that the service sends of saved results, and the rest beside', async () => {
    const body = invokeBody('greet', 'hello', { saved: { data: 'x'.repeat(33_600_000) } });
    expect((await serve(client())(post(body))).status).toBe(206);
  });

  it('over 64 MiB is refused with 413, said or streamed', async () => {
    const handler = serve(client());
    expect((await handler(post('x', { 'content-length': String(70_000_000) }))).status).toBe(413);
    const endless = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(1024 * 1024)) });
    const init = { method: 'POST', body: endless, duplex: 'half' };
    const streamed = new Request('http://runner/', init);
    expect((await handler(streamed)).status).toBe(413);
  });
});

describe('a limit on requests', () => {
  const body = invokeBody();
  const bytes = Buffer.byteLength(body);

  it('is set once, for the handler and for what serves it', async () => {
    for (const [maxRequestBytes, status] of [
      [bytes, 206],
      [bytes - 1, 413],
    ] as const) {
      const handler = serve(client(), { maxRequestBytes });
      expect((await handler(post(body))).status).toBe(status);
      const url = await listening((request, response) => void toNodeHandler(handler)(request, response));
      const headers = { 'x-service-signature': signatureHeader(body, secret) };
      const response = await fetch(url, { method: 'POST', body, headers });
      expect(response.status).toBe(status);
      if (status === 413) expect(await response.text()).toContain(`${maxRequestBytes} bytes that this runner reads`);
    }
  });

  it('is a whole number of bytes', () => {
    for (const wrong of [0, -1, 1.5, Number.NaN])
      expect(() => serve(client(), { maxRequestBytes: wrong })).toThrow('maxRequestBytes');
  });
});

describe('a signature', () => {
  const body = invokeBody();
  const now = Date.now();
  const t = seconds(now);
  const good = sign(t, body);

  it.each<[string, string | null, string]>([
    ['that fits', `t=${t}&s=${good}`, 'valid'],
    ['that fits in capitals', `t=${t}&s=${good.toUpperCase()}`, 'valid'],
    ['of which one of several fits', `t=${t}&s=${sign(t, body, 'old')}&s=${good}`, 'valid'],
    ['300 s old', `t=${t - 300}&s=${sign(t - 300, body)}`, 'valid'],
    ['300 s ahead', `t=${t + 300}&s=${sign(t + 300, body)}`, 'valid'],
    ['302 s old', `t=${t - 302}&s=${sign(t - 302, body)}`, 'out of tolerance'],
    ['302 s ahead', `t=${t + 302}&s=${sign(t + 302, body)}`, 'out of tolerance'],
    ['of another body', `t=${t}&s=${sign(t, `${body} `)}`, 'mismatch'],
    ['of another secret', `t=${t}&s=${sign(t, body, 'other')}`, 'mismatch'],
    ['of another time', `t=${t - 1}&s=${good}`, 'mismatch'],
    ['cut short', `t=${t}&s=${good.slice(0, 62)}`, 'mismatch'],
    ['that is empty', `t=${t}&s=`, 'mismatch'],
    ['in no hex', `t=${t}&s=${'zz'.repeat(32)}`, 'mismatch'],
    ['without a time', `s=${good}`, 'malformed'],
    ['with a time that is no number', `t=now&s=${good}`, 'malformed'],
    ['without a signature', `t=${t}`, 'malformed'],
    ['of nonsense', 'nonsense', 'malformed'],
    ['that is absent', null, 'missing'],
  ])('%s', (_name, header, verdict) => {
    const wholeSecond = t * 1000;
    expect(verifySignature(header, Buffer.from(body), secret, wholeSecond)).toBe(verdict);
  });

  it('that is not valid is answered 401, and nothing is run', async () => {
    let ran = false;
    const hf = client();
    hf.workflow({ id: 'spy' }, () => {
      ran = true;
    });
    const handler = serve(hf);
    const spied = invokeBody('spy');
    const wrong: Record<string, string>[] = [{}, { 'x-service-signature': signatureHeader(spied, 'other') }];
    for (const headers of wrong) {
      const response = await handler(post(spied, headers));
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({ error: expect.stringContaining('signature') });
    }
    expect(ran).toBe(false);
  });

  it('covers the bytes: a body that is other than it was signed does not pass, were it but by a space', async () => {
    const signed = signatureHeader(body, secret);
    expect((await serve(client())(post(` ${body}`, { 'x-service-signature': signed }))).status).toBe(401);
  });
});

describe('other requests', () => {
  it('GET and HEAD answer probes, without a secret', async () => {
    const handler = serve(client());
    const got = await handler(new Request('http://runner/'));
    expect([got.status, await got.json()]).toMatchObject([200, { ok: true, sdk: '@holdfast/sdk' }]);
    const head = await handler(new Request('http://runner/', { method: 'HEAD' }));
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('other methods are answered 405', async () => {
    const response = await serve(client())(new Request('http://runner/', { method: 'PUT' }));
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, GET, HEAD']);
  });

  it('before the secret is known are answered 503, so that the service tries again', async () => {
    expect((await serve(client({}))(post(invokeBody()))).status).toBe(503);
  });
});

it('workflows can be served without a client', async () => {
  const hf = new Holdfast({ apiKey: 'k' });
  const greet = hf.workflow({ id: 'greet' }, async ({ event }) => event.data);
  const response = await serve({ workflows: [greet], invokeSecret: secret })(post(invokeBody()));
  expect([response.status, await response.json()]).toEqual([200, { data: 'hello', logs: [] }]);
});

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => server.close());
  stops.push(() => server.closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const viaExpress = (handler: FetchHandler): RequestListener =>
  express().all('/holdfast', toNodeHandler(handler)) as RequestListener;

describe.each<[string, (handler: FetchHandler) => RequestListener]>([
  ['Node’s http server', (handler) => (request, response) => void toNodeHandler(handler)(request, response)],
  ['Express', viaExpress],
])('behind %s', (_name, mount) => {
  it('an invoke over a socket is run', async () => {
    const url = `${await listening(mount(serve(client())))}/holdfast`;
    const body = invokeBody('greet', 'ünïcode 🚀');
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'x-service-signature': signatureHeader(body, secret) },
    });
    expect(response.status).toBe(206);
    expect(await response.json()).toMatchObject({ opcodes: [{ data: 'ünïcode 🚀' }] });
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(url, { method: 'POST', body })).status).toBe(401);
  });

  it('a caller that hangs up aborts the pass', async () => {
    const hf = client();
    let isAborted = (): void => {};
    const aborted = new Promise<void>((resolve) => {
      isAborted = resolve;
    });
    let isStarted = (): void => {};
    const started = new Promise<void>((resolve) => {
      isStarted = resolve;
    });
    hf.workflow({ id: 'long' }, async ({ step }) =>
      step.run('a', ({ signal }) => {
        isStarted();
        signal.addEventListener('abort', () => isAborted());
        return new Promise(() => {});
      }),
    );
    const url = `${await listening(mount(serve(hf)))}/holdfast`;
    const body = invokeBody('long');
    const hangUp = new AbortController();
    const call = fetch(url, {
      method: 'POST',
      body,
      headers: { 'x-service-signature': signatureHeader(body, secret) },
      signal: hangUp.signal,
    });
    await started;
    hangUp.abort();
    await expect(call).rejects.toThrow();
    await aborted;
  });
});

describe('behind a body parser', () => {
  const body = invokeBody('greet', 'ünïcode 🚀');
  const send = async (parser: RequestHandler, hf = client()) => {
    const url = await listening(
      express()
        .use(parser)
        .all('/', toNodeHandler(serve(hf))) as RequestListener,
    );
    const headers = { 'content-type': 'application/json', 'x-service-signature': signatureHeader(body, secret) };
    return () => fetch(url, { method: 'POST', body, headers });
  };
  const keepRaw = (request: object, _response: unknown, bytes: Buffer) =>
    void Object.assign(request, { rawBody: bytes });

  it('that keeps nothing but what it parsed, an invoke is refused for good, and the logger told once', async () => {
    const told: string[] = [];
    const say = (message: string): void => void told.push(message);
    const post = await send(
      express.json(),
      client({ invokeSecret: secret, logger: { info: say, warn: say, error: say } }),
    );
    for (let times = 0; times < 2; times += 1) {
      const response = await post();
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ error: expect.stringContaining('before any body parser') });
    }
    expect(told).toEqual([expect.stringContaining('before any body parser')]);
  });

  it.each<[string, RequestHandler]>([
    ['rawBody', express.json({ verify: keepRaw })],
    ['bytes', express.raw({ type: '*/*' })],
    ['text', express.text({ type: '*/*' })],
  ])('that keeps the body as it came, as %s, an invoke is run', async (_, parser) => {
    const response = await (await send(parser))();
    expect([response.status, await response.json()]).toMatchObject([206, { opcodes: [{ data: 'ünïcode 🚀' }] }]);
  });

  it('that keeps the body as it came, a larger one than the runner reads is refused', async () => {
    const handler = serve(client(), { maxRequestBytes: 10 });
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'POST', rawBody: Buffer.alloc(11) });
    const answer = new ServerResponse(request);
    await toNodeHandler(handler)(request, answer);
    expect(answer.statusCode).toBe(413);
  });
});

it('a handler that fails is told to the logger, and answered with a status that is tried again', async () => {
  const told: string[] = [];
  const say = (message: string): void => void told.push(message);
  const failing = Object.assign(async () => Promise.reject(new Error('no memory')), {
    logger: { info: say, warn: say, error: say },
  });
  const url = await listening((request, response) => void toNodeHandler(failing)(request, response));
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(500);
  expect(told).toEqual([expect.stringContaining('no memory')]);
});

describe('a registration', () => {
  it('tells the service of the runner, and serve of the secret', async () => {
    const service = await httpDouble((_seen, response) =>
      json(response, 200, {
        runnerId: 'r-1',
        app: 'default',
        workflows: ['greet'],
        protocolVersion: 1,
        invokeSecret: secret,
      }),
    );
    stops.push(service.stop);
    const hf = client({ baseUrl: service.url });
    const registrar = await hf.register({ url: 'https://runner.test/holdfast', runner: 'r-1', region: 'eu' });
    stops.push(() => registrar.close());
    expect(registrar.runnerId).toBe('r-1');
    expect(service.seen[0]).toMatchObject({ method: 'POST', url: '/register' });
    expect(service.seen[0]?.headers.authorization).toBe('Bearer k');
    expect(JSON.parse(service.seen[0]?.body ?? '')).toMatchObject({
      app: 'default',
      runner: 'r-1',
      region: 'eu',
      url: 'https://runner.test/holdfast',
      protocolVersion: 1,
      runtime: 'node',
      language: 'typescript',
      sdkName: '@holdfast/sdk',
      workflows: [{ name: 'greet' }],
    });
    expect((await serve(hf)(post(invokeBody()))).status).toBe(206);
  });

  it('says how many passes the runner takes at once, where it is asked to', async () => {
    const answer = { runnerId: 'r-1', app: 'default', workflows: [], protocolVersion: 1, invokeSecret: secret };
    const service = await httpDouble((_seen, response) => json(response, 200, answer));
    stops.push(service.stop);
    const hf = client({ baseUrl: service.url });
    for (const maxInFlight of [undefined, 7])
      (await hf.register({ url: 'https://runner.test/holdfast', maxInFlight })).close();
    expect(service.seen.map(({ body }) => JSON.parse(body).maxInFlight)).toEqual([undefined, 7]);
    for (const maxInFlight of [0, 1.5, 100_001])
      await expect(hf.register({ url: 'https://runner.test/', maxInFlight })).rejects.toThrow('from 1 to 100000, not');
  });

  it('that brings a new secret keeps the one before it valid, and none that is older', async () => {
    const secrets = ['whsec_1', 'whsec_2', 'whsec_2', 'whsec_3'];
    const service = await httpDouble((_seen, response) =>
      json(response, 200, {
        runnerId: 'r',
        app: 'default',
        workflows: [],
        protocolVersion: 1,
        invokeSecret: secrets.shift(),
      }),
    );
    stops.push(service.stop);
    const hf = client({ baseUrl: service.url });
    const handler = serve(hf);
    const statusOf = async (key: string): Promise<number> => {
      const body = invokeBody();
      return (await handler(post(body, { 'x-service-signature': signatureHeader(body, key) }))).status;
    };
    const registrar = await hf.register({ url: 'https://runner.test/', everyMs: 0 });
    expect([await statusOf('whsec_1'), await statusOf('whsec_2')]).toEqual([206, 401]);
    for (let again = 1; again <= 2; again += 1) {
      await registrar.registerOnce();
      expect([await statusOf('whsec_1'), await statusOf('whsec_2')]).toEqual([206, 206]);
    }
    await registrar.registerOnce();
    const statuses = [await statusOf('whsec_1'), await statusOf('whsec_2'), await statusOf('whsec_3')];
    expect(statuses).toEqual([401, 206, 206]);
    expect(hf.invokeSecret).toBe('whsec_3');
    const aDayLater = performance.now() + 86_400_000;
    const later = vi.spyOn(performance, 'now').mockReturnValue(aDayLater);
    stops.push(() => later.mockRestore());
    expect([await statusOf('whsec_2'), await statusOf('whsec_3')]).toEqual([401, 206]);
  });

  it('is repeated no sooner than was asked, however rarely that is', async () => {
    const service = await httpDouble((_seen, response) =>
      json(response, 200, { runnerId: 'r', app: 'default', workflows: [], protocolVersion: 1, invokeSecret: secret }),
    );
    stops.push(service.stop);
    const every = vi.spyOn(globalThis, 'setInterval');
    stops.push(() => every.mockRestore());
    const hf = client({ baseUrl: service.url });
    for (const everyMs of [2_592_000_000, Number.POSITIVE_INFINITY]) {
      (await hf.register({ url: 'https://runner.test/', everyMs })).close();
      expect(every.mock.lastCall?.[1]).toBe(2_147_483_647);
    }
    for (const everyMs of [-1, Number.NaN]) {
      await expect(hf.register({ url: 'https://runner.test/', everyMs })).rejects.toThrow('everyMs must be a number');
    }
    expect(service.seen).toHaveLength(2);
  });

  it('is repeated, and outlives a failure', async () => {
    let count = 0;
    const service = await httpDouble((_seen, response) => {
      count += 1;
      if (count === 2) return json(response, 500, { error: 'internal error' });
      json(response, 200, { runnerId: 'r', app: 'default', workflows: [], protocolVersion: 1, invokeSecret: secret });
    });
    stops.push(service.stop);
    const registrar = await client({ baseUrl: service.url }).register({ url: 'https://runner.test/', everyMs: 5 });
    await expect.poll(() => count).toBeGreaterThan(3);
    registrar.close();
  });

  it('waits for a service that is not up, and throws what the service has against it', async () => {
    let count = 0;
    const service = await httpDouble((_seen, response) => {
      count += 1;
      json(response, count < 2 ? 503 : 400, { error: 'workflow "greet": bad cron' });
    });
    stops.push(service.stop);
    const registering = client({ baseUrl: service.url }).register({ url: 'https://runner.test/' });
    await expect(registering).rejects.toMatchObject({ status: 400, message: 'workflow "greet": bad cron' });
    expect(count).toBe(2);
  });
});
