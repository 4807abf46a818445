import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../../src/cli/runCli.ts';
import { type RestServer, startRest } from '../rest/restServer.ts';
import { createTestSource, serviceHeaders } from '../support/webhookSources.ts';
import { cli } from './cli.ts';

let rest: RestServer;
let receiver: Server;
const received: { headers: IncomingMessage['headers']; body: Buffer }[] = [];

beforeAll(async () => {
  rest = await startRest();
  receiver = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: Buffer.concat(await request.toArray()) });
    response.writeHead(201).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
});
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await rest.close();
});

const env = (): Record<string, string> => ({ HOLDFAST_URL: rest.url, HOLDFAST_API_KEY: rest.keys.secret });
const target = (): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

it('holdfast listen prints messages as they come, and posts the verified ones on as they were', async () => {
  const source = await createTestSource(rest.engine, rest.projectId, { name: 'github' });
  const body = Buffer.from('\uFEFF{ "a":1,\r\n "b": "grüße" }');
  const post = (headers: Record<string, string>) => rest.call('POST', source.path, body, { key: null, headers });
  const signature = serviceHeaders(source.secret, body);
  const signed = { ...signature, 'x-topic': 'paid', authorization: 'Basic x' };
  await post(signed);
  let out = '';
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const listening = runCli(['listen', '--source', 'github', '--forward-to', target(), '--limit', '2'], {
    env: env(),
    out: (text) => {
      out += text;
    },
    err: (text) => void (text.includes('listening') && begin()),
  });
  await Promise.race([begun, listening]);
  await post({ 'x-service-signature': 'x' });
  await post(signed);
  expect(await listening).toBe(0);
  const [refused = '', accepted = ''] = out.split('\n');
  expect(refused).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}\S+ {2}unauthorized \(malformed_signature\) {2}not forwarded$/);
  expect(accepted).toMatch(/ {2}ingested {2}answered 201$/);
  expect(received).toHaveLength(1);
  expect(received[0]?.body.equals(body)).toBe(true);
  expect(received[0]?.headers).toMatchObject({ 'x-topic': 'paid', ...signature });
  expect(received[0]?.headers).not.toHaveProperty('authorization');
});

it('holdfast listen posts a message on after an outage of the service between the list and the message', async () => {
  const source = await createTestSource(rest.engine, rest.projectId, { name: 'outage' });
  let refusals = 0;
  const proxy = createServer(async (request, response) => {
    const isMessage = /^\/webhook-source-deliveries\/./.test(request.url ?? '');
    if (isMessage && refusals === 0) {
      refusals += 1;
      response.writeHead(503).end('{"error":"busy"}');
      return;
    }
    const headers = { authorization: request.headers.authorization ?? '' };
    const answer = await fetch(`${rest.url}${request.url}`, { headers });
    response.writeHead(answer.status).end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const before = received.length;
  let said = '';
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const listening = runCli(['listen', '--source', 'outage', '--forward-to', target(), '--limit', '1'], {
    env: { ...env(), HOLDFAST_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` },
    out: (text) => {
      said += text;
    },
    err: (text) => {
      said += text;
      if (text.includes('listening')) begin();
    },
  });
  await Promise.race([begun, listening]);
  await rest.call('POST', source.path, '{}', { key: null, headers: serviceHeaders(source.secret, '{}') });
  expect(await listening).toBe(0);
  proxy.closeAllConnections();
  proxy.close();
  expect(refusals).toBe(1);
  expect(said).toMatch(/holdfast: busy: try again in a moment\n.*answered 201/s);
  expect(received).toHaveLength(before + 1);
});

it('holdfast listen refuses a source that does not exist, and an address that is none', async () => {
  const listen = (...args: string[]) => cli(env(), 'listen', ...args);
  expect(await listen('--source', 'none', '--forward-to', target())).toMatchObject({
    code: 1,
    err: expect.stringContaining('there is no webhook source none'),
  });
  expect(await listen('--source', 'github', '--forward-to', 'localhost')).toMatchObject({
    code: 1,
    err: expect.stringContaining('It must be an http or https URL'),
  });
});
