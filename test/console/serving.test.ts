import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RestServer } from '../rest/restServer.ts';
import {
  type ConsoleFolder,
  fixtureScript,
  getRaw,
  startConsole,
  startConsoleOf,
  writeConsoleFolder,
} from './consoleServer.ts';

let folder: ConsoleFolder;
let rest: RestServer;

beforeAll(async () => {
  folder = await writeConsoleFolder();
  rest = await startConsoleOf(folder);
});
afterAll(async () => {
  await rest.close();
  await folder.remove();
});

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  getRaw(rest.url, path, { method, headers });

const policyWith = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types holdfast',
  ].join('; ');

const nonceOf = (body: Buffer): string => /nonce="([^"]+)"/.exec(String(body))?.[1] ?? '';

describe('the page of the console', () => {
  it.each(['/console', '/console/', '/console/?a=b', '/console/p/x/runs/7', '/console/index.html', '/console/session'])(
    'is sent at %s, with the headers of its policy and no key',
    async (path) => {
      const { status, headers, body } = await get(path);
      const nonce = nonceOf(body);
      expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
      expect(headers).toMatchObject({
        'content-security-policy': policyWith(nonce),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      });
      for (const rule of String(headers['permissions-policy']).split(', ')) expect(rule).toMatch(/^[a-z-]+=\(\)$/);
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('set-cookie');
    },
  );

  it('has a fresh nonce for each request, wherever the build marked one', async () => {
    const pages = await Promise.all(Array.from({ length: 20 }, () => get('/console/')));
    const nonces = new Set(pages.map(({ body }) => nonceOf(body)));
    expect(nonces.size).toBe(20);
    for (const nonce of nonces) expect(nonce).toMatch(/^[\w+/]{24}$/);
    for (const { body } of pages) {
      expect(String(body)).not.toContain('__CSP_NONCE__');
      expect(String(body).split(nonceOf(body))).toHaveLength(3);
    }
  });

  it('is answered to HEAD without its body', async () => {
    const { status, headers, body } = await get('/console/p/x', {}, 'HEAD');
    expect({ status, length: body.length }).toEqual({ status: 200, length: 0 });
    expect(Number(headers['content-length'])).toBeGreaterThan(100);
  });

  it.each([
    ['POST', '/console', 'GET, HEAD'],
    ['PUT', '/console/p/x', 'GET, HEAD'],
    ['DELETE', '/console/assets/index-4f2a.js', 'GET, HEAD'],
    ['PATCH', '/console/session', 'GET, HEAD, POST'],
  ])('%s %s is refused with 405, and Allow', async (method, path, allow) => {
    const { status, headers, body } = await get(path, {}, method);
    expect({ status, allow: headers['allow'] }).toEqual({ status: 405, allow });
    expect(JSON.parse(String(body))).toEqual({ error: 'method not allowed' });
  });

  it.each(['/Console', '/consoles', '/console-x', '//console'])('is not at %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  it('says how to build the console where it is not built', async () => {
    const bare = await startConsole();
    const { status, headers, body } = await getRaw(bare.url, '/console/p/x');
    const asset = await getRaw(bare.url, '/console/assets/index-4f2a.js');
    await bare.close();
    expect(status).toBe(503);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(String(body)).toContain('npm run build:console');
    expect(asset.status).toBe(404);
  });
});

describe('an asset', () => {
  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.1', 'gzip'],
    ['*', 'br'],
    ['deflate', undefined],
    ['br;q=0, gzip;q=0', undefined],
    [undefined, undefined],
  ])('for Accept-Encoding %j is sent in the coding %j', async (accepted, coding) => {
    const { status, headers, body } = await get(
      '/console/assets/index-4f2a.js',
      accepted === undefined ? {} : { 'accept-encoding': accepted },
    );
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    });
    expect(headers['content-encoding']).toBe(coding);
    const content = coding === 'br' ? brotliDecompressSync(body) : coding === 'gzip' ? gunzipSync(body) : body;
    expect(String(content)).toBe(fixtureScript);
  });

  it.each([
    ['index-9c01.css', 'text/css; charset=utf-8'],
    ['font-77aa.woff2', 'font/woff2'],
  ])('%s is sent as it is where the build compressed nothing', async (name, type) => {
    const { status, headers } = await get(`/console/assets/${name}`, { 'accept-encoding': 'br' });
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type });
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it.each([
    '/console/assets',
    '/console/assets/',
    '/console/assets/index-0000.js',
    '/console/assets/index-4f2a.js/',
    '/console/assets/index-4f2a.js.br',
    '/console/assets/index-4f2a',
    '/console/assets/link.js',
    '/console/assets/folder/inner.js',
    '/console/assets/.stamp',
    '/console/assets/../.stamp',
    '/console/assets/../index.html',
    '/console/assets/%2e%2e/index.html',
    '/console/assets/..%2findex.html',
    '/console/assets/..\\index.html',
    '/console/assets//etc/hostname',
    '/console/assets/%00',
    '/console/assets/%ff',
    '/console/assets/__proto__',
  ])('at %s is a 404 in plain text, never the page', async (path) => {
    const { status, headers, body } = await get(path);
    expect({ status, type: headers['content-type'] }).toEqual({ status: 404, type: 'text/plain; charset=utf-8' });
    expect(headers['cache-control']).toBe('no-store');
    expect(String(body)).toBe('not found: this version of the console has no such file\n');
  });

  it.each(['/console/../../etc/passwd', '/console/%2e%2e/%2e%2e/etc/passwd', '/console/.stamp'])(
    'is no file outside of the build: %s',
    async (path) => {
      expect(String((await get(path)).body)).not.toMatch(/root:|a stamp/);
    },
  );
});
