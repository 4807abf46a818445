import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { useServiceInProcess } from '../../support/inProcess.ts';
import { useBrowser, withoutBrowser } from '../kit/useConsole.ts';

// A browser decides what a page of another origin may read. So this is tried in one.

/** Serves an empty page, at two origins. */
const pages = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html').end('<!doctype html><title>a page</title>');
});
await once(pages.listen(0), 'listening');
const { port } = pages.address() as AddressInfo;
const allowed = `http://localhost:${port}`;
const stranger = `http://127.0.0.1:${port}`;
afterAll(() => void pages.close());

/** What a page tells of an answer, or of its failure. */
type Told = { status: number; cursor: string | null; body: unknown } | { failure: string };

/** Code that the page runs: `ask` fetches, `listen` opens a stream, `connect` opens a socket. */
const script = `
  window.ask = async (url, init) => {
    try {
      const answer = await fetch(url, init);
      return { status: answer.status, cursor: answer.headers.get('x-next-cursor'), body: await answer.json() };
    } catch (error) {
      return { failure: String(error) };
    }
  };
  window.listen = (url, kind) => {
    window.source = new EventSource(url);
    window.frames_ = [];
    source.addEventListener(kind, ({ data, lastEventId }) => frames_.push({ data: JSON.parse(data), lastEventId }));
    return new Promise((resolve) => {
      source.onopen = () => resolve('open');
      source.onerror = () => resolve('refused, and ' + (source.readyState === EventSource.CLOSED ? 'closed' : 'open'));
    });
  };
  window.connect = (url) => new Promise((resolve) => {
    const socket = new WebSocket(url, 'graphql-transport-ws');
    socket.onopen = () => resolve('open');
    socket.onerror = () => resolve('refused');
  });`;

describe.skipIf(withoutBrowser)('a page of another origin, in Chromium', () => {
  const service = useServiceInProcess({ ROLES: 'api', CORS_ORIGINS: allowed });
  const chromium = useBrowser();

  async function on(origin: string, use: (page: Page) => Promise<void>): Promise<void> {
    const context = await chromium.browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(origin);
      await page.evaluate(script);
      await use(page);
    } finally {
      await context.close();
    }
  }
  const run = <T>(page: Page, name: string, ...args: readonly unknown[]): Promise<T> =>
    page.evaluate(`window.${name}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`);
  const ask = (page: Page, path: string, init: object = {}, key = service.keys.publicKey): Promise<Told> =>
    run(page, 'ask', service.url + path, {
      ...init,
      headers: { authorization: `Bearer ${key}`, ...Object(init).headers },
    });
  const open = (page: Page, path: string, ticket: string): Promise<string> =>
    run(page, 'listen', `${service.url}${path}?ticket=${ticket}`, 'event');

  /** Calls the service as the server of the page does. */
  async function call(path: string, body: object): Promise<{ ticket: string; eventId: string }> {
    const headers = { authorization: `Bearer ${service.keys.secretKey}` };
    const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.ok).toBe(true);
    return answer.json();
  }

  it('reads lists with a key, their cursor and failures, and sends events, if CORS_ORIGINS names it', () =>
    on(allowed, async (page) => {
      for (const name of ['first', 'second']) await call('/events', { name });
      const strict = { headers: { 'x-strict': '1' } };
      const list = await ask(page, '/events?limit=1', strict);
      expect(list).toMatchObject({ status: 200, cursor: expect.any(String), body: [{ name: 'second' }] });
      expect(await ask(page, '/runs/unknown')).toMatchObject({ status: 404, body: { error: 'run not found' } });
      expect(await ask(page, '/runs', {}, 'wrong')).toMatchObject({ status: 401 });
      const headers = { 'content-type': 'application/json' };
      const event = { method: 'POST', headers, body: '{"name":"third"}' };
      expect(await ask(page, '/events', event, service.keys.secretKey)).toMatchObject({ status: 202 });
      const query = { method: 'POST', headers, body: '{"query":"{ viewer { kind } }"}' };
      expect(await ask(page, '/graphql', query)).toMatchObject({
        status: 200,
        body: { data: { viewer: { kind: 'PUBLIC' } } },
      });
      expect(await run(page, 'connect', `${service.url.replace('http', 'ws')}/graphql`)).toBe('open');
    }));

  it('reads why a request with too large headers was refused', () =>
    on(allowed, async (page) => {
      const large = { headers: { 'x-strict': 'x'.repeat(20_000) } };
      expect(await ask(page, '/runs', large)).toMatchObject({
        status: 431,
        body: { error: 'request headers too large' },
      });
    }));

  it('follows a stream with a ticket, once', () =>
    on(allowed, async (page) => {
      const { ticket } = await call('/stream-tickets', { path: '/events/stream' });
      expect(await open(page, '/events/stream', ticket)).toBe('open');
      const { eventId } = await call('/events', { name: 'order.placed' });
      await page.waitForFunction('window.frames_.length > 0');
      expect(await page.evaluate('window.frames_')).toMatchObject([
        { lastEventId: eventId, data: { name: 'order.placed' } },
      ]);
      await page.evaluate('window.source.close()');
      expect(await open(page, '/events/stream', ticket)).toBe('refused, and closed');
    }));

  it('reads nothing, follows nothing and opens no socket, if CORS_ORIGINS does not name it', () =>
    on(stranger, async (page) => {
      expect(await ask(page, '/runs')).toEqual({ failure: 'TypeError: Failed to fetch' });
      expect(await run(page, 'ask', `${service.url}/health/live`)).toEqual({ failure: 'TypeError: Failed to fetch' });
      const { ticket } = await call('/stream-tickets', { path: '/events/stream' });
      expect(await open(page, '/events/stream', ticket)).toBe('refused, and closed');
      expect(await run(page, 'connect', `${service.url.replace('http', 'ws')}/graphql`)).toBe('refused');
    }));
});
