import { describe, expect, test } from 'vitest';
import type { Refusal } from '../../../../src/engine/inference/index.ts';
import { FakeProvider } from '../../../support/models/fakeProvider.ts';
import { request, Site, wires } from './kit.ts';

const site = new Site();

const transient: Refusal = { kind: 'transient' };
const overloaded: Refusal = { kind: 'overloaded' };
const exhausted: Refusal = { kind: 'exhausted' };
const final: Refusal = { kind: 'final' };
const now = new Date('2026-03-01T12:00:00Z');

type Answer = { status: number; type?: string; code?: string; headers?: Record<string, string> };

const rows: [title: string, answer: Answer, refusal: Refusal][] = [
  ...[408, 409, 425, 500, 502, 503, 504].map((status): [string, Answer, Refusal] => [
    `${status}`,
    { status },
    transient,
  ]),
  ['429', { status: 429 }, overloaded],
  ['529', { status: 529, type: 'overloaded_error' }, overloaded],
  [
    '429 with retry-after-ms',
    { status: 429, headers: { 'retry-after-ms': '1500' } },
    { ...overloaded, retryAfterMs: 1_500 },
  ],
  ['429 with seconds', { status: 429, headers: { 'retry-after': '7' } }, { ...overloaded, retryAfterMs: 7_000 }],
  [
    '429 with a date',
    { status: 429, headers: { 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT' } },
    { ...overloaded, retryAfterMs: 30_000 },
  ],
  ['429 with a day', { status: 429, headers: { 'retry-after': '86400' } }, { ...overloaded, retryAfterMs: 86_400_000 }],
  ['429 with an unreadable delay', { status: 429, headers: { 'retry-after': 'soon' } }, overloaded],
  ['503 with Retry-After', { status: 503, headers: { 'retry-after': '2' } }, { ...overloaded, retryAfterMs: 2_000 }],
  [
    'retry-after-ms before Retry-After',
    { status: 529, headers: { 'retry-after': '9', 'retry-after-ms': '10' } },
    { ...overloaded, retryAfterMs: 10 },
  ],
  ['429 about a quota', { status: 429, code: 'insufficient_quota' }, exhausted],
  ['429 about a spend limit', { status: 429, type: 'enforced_spend_limit_reached' }, exhausted],
  ['429 with x-should-retry: false', { status: 429, headers: { 'x-should-retry': 'false' } }, exhausted],
  ['500 with x-should-retry: false', { status: 500, headers: { 'x-should-retry': 'false' } }, exhausted],
  ...[401, 402, 403].map((status): [string, Answer, Refusal] => [`${status}`, { status }, exhausted]),
  ...[400, 404, 413, 422, 451].map((status): [string, Answer, Refusal] => [`${status}`, { status }, final]),
  ['400 with x-should-retry: false', { status: 400, headers: { 'x-should-retry': 'false' } }, final],
  ['a redirect', { status: 307, headers: { location: 'http://elsewhere.invalid/' } }, final],
];

describe.each(wires)('a refusal by %s', (wire) => {
  test.each(rows)('is classified: %s', async (_, { headers = {}, ...refusal }, expected) => {
    site.fake.answers({ refusal: { type: 'api_error', message: 'no', ...refusal }, headers });
    const ending = await site.call(wire, { now: () => now });
    expect(ending).toMatchObject({ outcome: 'refused', refusal: expected, status: refusal.status });
    expect(ending.outcome === 'refused' && ending.refusal).toEqual(expected);
    expect(site.fake.ledger).toHaveLength(1);
  });

  test('inside a stream that began as a success holds the lane', async () => {
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    site.fake.answers({ text: ['a', 'b'], fault: { errorMidway: error } }, { fault: { errorFirst: error } });
    for (const _ of ['midway', 'first']) {
      expect(await site.call(wire)).toEqual({
        outcome: 'refused',
        refusal: overloaded,
        status: 200,
        requestId: expect.any(String),
        message: 'overloaded_error: Overloaded',
      });
    }
  });

  test('inside a stream after the model began is unknown, if the server failed', async () => {
    site.fake.answers({ text: ['a', 'b'], fault: { errorMidway: { type: 'api_error', message: 'Internal error' } } });
    expect(await site.call(wire)).toMatchObject({ outcome: 'unknown', message: 'api_error: Internal error' });
  });

  test('has the status, the type and the words of the provider', async () => {
    site.fake.answers({ refusal: { status: 404, type: 'not_found_error', message: 'no model\nof that name' } });
    const ending = await site.call(wire);
    expect(ending).toMatchObject({ message: '404 not_found_error: no model of that name' });
  });

  test('is cut to 500 characters', async () => {
    site.fake.answers({ refusal: { status: 400, message: 'long '.repeat(1_000) } });
    const ending = await site.call(wire);
    expect(ending.outcome === 'refused' && ending.message).toHaveLength(500);
  });

  test.each(['Zebra-4711-under-the-bed', 'first line\n"second" line', 'Привет, мир!', 'secret'])(
    'does not repeat the prompt: %s',
    async (prompt) => {
      site.fake.answers({
        refusal: { status: 400, echo: true },
        headers: { 'request-id': /^[\w-]+$/.test(prompt) ? prompt : 'req_1' },
      });
      const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: prompt }] }];
      const ending = await site.call(wire, { request: request({ messages, system: `${prompt} as system` }) });
      const [word = ''] = prompt.split(/[ \n]/);
      expect(ending.outcome).toBe('refused');
      expect(JSON.stringify(ending)).not.toContain(word);
      expect(ending).toMatchObject({ message: expect.stringContaining('the fake says no') });
    },
  );

  test('does not repeat the key', async () => {
    for (const apiKey of ['secret-key', `sk-${'0123456789'.repeat(5)}`]) {
      site.fake.answers({ refusal: { status: 401, message: `bad key ${apiKey}` }, headers: { 'request-id': apiKey } });
      const ending = await site.call(wire, { access: { ...site.accessTo(wire), apiKey } });
      expect(ending).toMatchObject({ refusal: exhausted, message: expect.stringMatching(/bad key ?\[…\]/) });
      expect(JSON.stringify(ending)).not.toContain(apiKey.slice(3, 10));
    }
  });

  test('is one although its body never ends', async () => {
    site.fake.answers({ refusal: { status: 529, hang: true }, headers: { 'retry-after': '3' } });
    const ending = await site.call(wire, { limits: { idleMs: 50 } });
    expect(ending).toMatchObject({ outcome: 'refused', refusal: { ...overloaded, retryAfterMs: 3_000 } });
  });

  test('may be a page of a proxy', async () => {
    site.fake.answers({ refusal: { status: 502, body: '<html><title>502 Bad Gateway</title></html>' } });
    expect(await site.call(wire)).toMatchObject({ refusal: transient, message: '502: 502 Bad Gateway' });
  });
});

test('no redirect is followed', async () => {
  const other = await FakeProvider.start();
  site.fake.answers({ refusal: { status: 308 }, headers: { location: `${other.url}/chat/completions` } });
  await site.call('chat');
  expect(other.ledger).toEqual([]);
  await other.close();
});

test('a key that no header can hold is not quoted', async () => {
  const access = { ...site.accessTo('messages'), apiKey: 'secret\nkey' };
  const ending = await site.call('messages', { access });
  expect(ending).toMatchObject({ outcome: 'refused', refusal: final });
  expect(JSON.stringify(ending)).not.toContain('secret');
});
