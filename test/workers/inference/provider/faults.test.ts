import { once } from 'node:events';
import { createServer as createSecureServer } from 'node:https';
import { createServer, type Server } from 'node:net';
import { describe, expect, test } from 'vitest';
import { FakeProvider } from '../../../support/models/fakeProvider.ts';
import type { Fault } from '../../../support/models/turn.ts';
import { selfSigned } from './certificate.ts';
import { Site, textAnswer, wires } from './kit.ts';

const site = new Site();

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

const text = ['Hel', 'lo.'];
const hangs: Fault[] = ['hang before headers', 'hang after headers', 'hang midway'];
const breaks: Fault[] = ['reset before headers', 'reset midway', 'cut midway', 'truncated JSON', 'no JSON', 'empty'];

describe.each(wires)('the end of a send by %s is unknown', (wire) => {
  test.each(hangs)('after a %s, when nothing came for too long', async (fault) => {
    site.fake.answers({ text, fault });
    const ending = await site.call(wire, { limits: { idleMs: 100 } });
    expect(ending).toMatchObject({ outcome: 'unknown', message: 'the provider sent nothing for too long' });
    await expect(site.fake.ledger[0]?.closed).resolves.toBe('aborted');
  });

  test.each(hangs)('after a %s, when the call took too long', async (fault) => {
    site.fake.answers({ text, fault });
    const ending = await site.call(wire, { limits: { timeoutMs: 100 } });
    expect(ending).toMatchObject({ outcome: 'unknown', message: 'the call took too long' });
  });

  test.each(breaks)('after: %s', async (fault) => {
    site.fake.answers({ text, fault });
    const ending = await site.call(wire);
    expect(ending.outcome).toBe('unknown');
    expect(ending).not.toHaveProperty('isFinal');
  });

  test('after a document that is no JSON, or is cut', async () => {
    site.fake.answers({ text, plain: true, fault: 'truncated JSON' });
    expect(await site.call(wire)).toMatchObject({ outcome: 'unknown' });
  });

  test.each(hangs)('after a %s that is aborted', async (fault) => {
    const abort = new AbortController();
    site.fake.answers({ text, fault });
    const ending = site.call(wire, { signal: abort.signal });
    const { closed } = await site.fake.received();
    abort.abort();
    expect(await ending).toMatchObject({ outcome: 'unknown', message: 'the call was ended before its answer' });
    await expect(closed).resolves.toBe('aborted');
  });

  test('when the signal is aborted already, and nothing is sent', async () => {
    expect(await site.call(wire, { signal: AbortSignal.abort() })).toMatchObject({ outcome: 'unknown' });
    expect(site.fake.ledger).toEqual([]);
  });

  test.each([false, true])('and final, when the answer is too large (compressed: %s)', async (compressed) => {
    const large = 'a'.repeat(300_000);
    site.fake.answers(compressed ? { text: large, compressed } : { text, fault: 'endless' });
    const ending = await site.call(wire, { limits: { maxBytes: 200_000 } });
    expect(ending).toMatchObject({ outcome: 'unknown', isFinal: true, message: 'the answer is too large' });
  });

  test('and final, when a document is too large', async () => {
    site.fake.answers({ text: 'a'.repeat(300_000), plain: true, compressed: true });
    expect(await site.call(wire, { limits: { maxBytes: 200_000 } })).toMatchObject({ isFinal: true });
  });
});

describe.each(wires)('a send by %s is answered', (wire) => {
  test('although the connection stays open after the last word', async () => {
    site.fake.answers({ text, fault: 'hang at the end' });
    expect(textAnswer(await site.call(wire)).text).toBe('Hello.');
  });

  test('when the connection is used again', async () => {
    for (const _ of [1, 2, 3]) expect(textAnswer(await site.call(wire)).text).toBe('Hello.');
  });
});

test('a cut stream has the tokens that were reported before', async () => {
  site.fake.answers({ text, fault: 'reset midway', usage: { input: 7, output: 9, cacheRead: 3, cacheWrite: 1 } });
  expect(await site.call('messages')).toMatchObject({
    outcome: 'unknown',
    usage: { tokensIn: 11, cachedTokensIn: 3, cacheWriteTokensIn: 1 },
    status: 200,
    requestId: expect.stringMatching(/^req_/),
  });
});

describe('a connection that cannot be opened is a refusal, because nothing left', () => {
  const transient = { outcome: 'refused', refusal: { kind: 'transient' } };
  const access = (baseUrl: string) => ({ provider: 'groq', apiKey: 'secret-key', baseUrl });

  test('when it is refused', async () => {
    const closed = await FakeProvider.start();
    const { url } = closed;
    await closed.close();
    const ending = await site.call('chat', { access: access(url) });
    expect(ending).toMatchObject({ ...transient, message: 'the provider refused the connection (ECONNREFUSED)' });
  });

  test('when the name is not found', async () => {
    const ending = await site.call('chat', { access: access('http://nowhere.invalid/v1') });
    expect(ending).toMatchObject(transient);
  });

  test('when the certificate is not accepted', async () => {
    const received: string[] = [];
    const server = createSecureServer(selfSigned, (request) => received.push(request.url ?? ''));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const ending = await site.call('chat', { access: access(`https://localhost:${portOf(server)}/v1`) });
    server.close();
    expect(ending).toMatchObject({
      ...transient,
      message: "the provider's certificate was not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)",
    });
    expect(received).toEqual([]);
  });

  test('when it takes too long', async () => {
    // The handshake of TLS is never answered.
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const ending = await site.call('chat', {
      access: access(`https://127.0.0.1:${portOf(silent)}/v1`),
      limits: { connectMs: 50 },
    });
    silent.close();
    expect(ending).toMatchObject({ ...transient, message: 'the connection took too long' });
  });
});
