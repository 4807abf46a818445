import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express, { type RequestHandler } from 'express';
import { describe, expect, it } from 'vitest';
import { serve } from '../../../sdk/src/index.ts';
import { toNodeHandler } from '../../../sdk/src/serve/node.ts';
import type { FetchHandler } from '../../../sdk/src/serve/serve.ts';
import { Sign } from '../support/sign.ts';
import { client, invokeBody, listening, secret, signed } from './site.ts';

const viaExpress = (handler: FetchHandler): RequestListener =>
  express().all('/holdfast', toNodeHandler(handler)) as RequestListener;

describe.each<[string, (handler: FetchHandler) => RequestListener]>([
  ['Node’s http server', (handler) => (request, response) => void toNodeHandler(handler)(request, response)],
  ['Express', viaExpress],
])('behind %s', (_name, mount) => {
  it('an invoke over a socket is run', async () => {
    const url = `${await listening(mount(serve(client())))}/holdfast`;
    const body = invokeBody('greet', 'ünïcode 🚀');
    const response = await fetch(url, signed(body));
    expect(response.status).toBe(206);
    expect(await response.json()).toMatchObject({ opcodes: [{ data: 'ünïcode 🚀' }] });
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(url, { method: 'POST', body })).status).toBe(401);
  });

  it('a caller that hangs up aborts the pass', async () => {
    const hf = client();
    const aborted = new Sign();
    const started = new Sign();
    hf.workflow({ id: 'long' }, async ({ step }) =>
      step.run('a', ({ signal }) => {
        started.give();
        signal.addEventListener('abort', aborted.give);
        return new Promise(() => {});
      }),
    );
    const url = `${await listening(mount(serve(hf)))}/holdfast`;
    const hangUp = new AbortController();
    const call = fetch(url, { ...signed(invokeBody('long')), signal: hangUp.signal });
    await started.given;
    hangUp.abort();
    await expect(call).rejects.toThrow();
    await aborted.given;
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
    const headers = { 'content-type': 'application/json', ...signed(body).headers };
    return () => fetch(url, { method: 'POST', body, headers });
  };
  const keepRaw = (request: object, _response: unknown, bytes: Buffer) =>
    void Object.assign(request, { rawBody: bytes });

  it('that keeps only the parsed body, an invoke is refused for good, and the logger gets one line', async () => {
    const logged: string[] = [];
    const log = (message: string): void => void logged.push(message);
    const post = await send(
      express.json(),
      client({ invokeSecret: secret, logger: { info: log, warn: log, error: log } }),
    );
    for (let times = 0; times < 2; times += 1) {
      const response = await post();
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ error: expect.stringContaining('before any body parser') });
    }
    expect(logged).toEqual([expect.stringContaining('before any body parser')]);
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

it('a failing handler is logged, and answered with a status that the service retries', async () => {
  const logged: string[] = [];
  const log = (message: string): void => void logged.push(message);
  const failing = Object.assign(async () => Promise.reject(new Error('no memory')), {
    logger: { info: log, warn: log, error: log },
  });
  const url = await listening((request, response) => void toNodeHandler(failing)(request, response));
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(500);
  expect(logged).toEqual([expect.stringContaining('no memory')]);
});
