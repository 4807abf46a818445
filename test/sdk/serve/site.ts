import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type ClientOptions, Holdfast, signatureHeader } from '../../../sdk/src/index.ts';
import { keptOpen } from '../../support/keptOpen.ts';

export const secret = 'whsec_of-the-app';

/**
 * A client with the workflow `greet`, whose only step returns the data of its event, and without a
 * log.
 */
export function client(options: ClientOptions = { invokeSecret: secret }): Holdfast {
  const hf = new Holdfast({ apiKey: 'k', logger: { info: () => {}, warn: () => {}, error: () => {} }, ...options });
  hf.workflow({ id: 'greet' }, async ({ event, step }) => step.run('say', () => event.data));
  return hf;
}

export const invokeBody = (workflow = 'greet', data: unknown = 'hello', steps: object = {}): string =>
  JSON.stringify({
    event: { name: workflow, data },
    steps,
    ctx: { runId: 'r1', workflow, attempt: 1, app: 'default', runner: '' },
  });

/** An invoke as the service sends it, with its signature. */
export const signed = (
  body: string,
  key = secret,
): { method: 'POST'; body: string; headers: Record<string, string> } => ({
  method: 'POST',
  body,
  headers: { 'x-service-signature': signatureHeader(body, key) },
});

/** The same as a `Request`, for a handler without a server. */
export const post = (body: string, headers: Record<string, string> = signed(body).headers): Request =>
  new Request('http://runner/holdfast', { method: 'POST', body, headers });

/** `t` in seconds; returns hex. */
export const sign = (t: number | string, body: string, key = secret): string =>
  createHmac('sha256', key).update(`${t}.${body}`).digest('hex');

/** Serves until the end of the test, and returns the address. */
export async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(keptOpen, listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
