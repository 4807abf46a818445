import { describe, expect, it } from 'vitest';
import { AllowedPages } from '../../src/mcp/index.ts';

interface Asked {
  host?: string | undefined;
  origin?: string;
  localAddress?: string;
  forwarded?: string;
}

const none = { host: '127.0.0.1', publicUrl: undefined, allowedHosts: [], allowedOrigins: [] };

/** What a server answers a request: `own`, the origin that gets CORS, or its refusal. */
function answer(
  settings: Partial<ConstructorParameters<typeof AllowedPages>[0]>,
  { host, origin, localAddress = '127.0.0.1', forwarded }: Asked,
): string {
  const headers = {
    ...(host !== undefined && { host }),
    ...(origin !== undefined && { origin }),
    ...(forwarded !== undefined && { 'x-forwarded-host': forwarded }),
  };
  try {
    const pages = new AllowedPages({ ...none, ...settings });
    // @ts-expect-error A socket of which the address alone is read.
    return pages.admit({ headers, socket: { localAddress } }) ?? 'own';
  } catch (error) {
    return error instanceof Error ? error.message : 'no error';
  }
}

describe('the Host of a request at /mcp', () => {
  it('may be any loopback name where the server listens on loopback', () => {
    for (const listening of ['127.0.0.1', 'localhost', '::1', '[::1]', '127.0.0.7', '0:0:0:0:0:0:0:1'])
      for (const host of [
        '127.0.0.1',
        'localhost',
        '[::1]',
        'LOCALHOST:4400',
        '127.0.0.1:4400',
        '[0:0:0:0:0:0:0:1]:4400',
      ])
        expect([listening, host, answer({ host: listening }, { host })]).toEqual([listening, host, 'own']);
  });

  it('is the address that the server listens on', () => {
    const settings = { host: '10.1.2.3' };
    expect(answer(settings, { host: '10.1.2.3:4400' })).toBe('own');
    for (const host of ['localhost', '127.0.0.1', '10.1.2.4', '[::1]'])
      expect([host, answer(settings, { host })]).toEqual([host, 'host not allowed']);
    expect(answer({ host: 'fd00::0:5' }, { host: '[FD00::5]:4400' })).toBe('own');
  });

  it('is the address that was reached, where the server listens on all', () => {
    for (const host of ['0.0.0.0', '::', '[::]', '::0']) {
      expect(answer({ host }, { host: '10.1.2.3:4400', localAddress: '::ffff:10.1.2.3' })).toBe('own');
      expect(answer({ host }, { host: '[fd00::5]', localAddress: 'fd00:0::5' })).toBe('own');
      expect(answer({ host }, { host: 'localhost', localAddress: '127.0.0.1' })).toBe('own');
      expect(answer({ host }, { host: '10.1.2.4', localAddress: '10.1.2.3' })).toBe('host not allowed');
      expect(answer({ host }, { host: '0.0.0.0', localAddress: '127.0.0.1' })).toBe('host not allowed');
    }
  });

  it('may be the host of PUBLIC_URL, or one of MCP_ALLOWED_HOSTS', () => {
    const settings = { publicUrl: 'https://Holdfast.example.com/base', allowedHosts: ['Agents.internal', 'fd00::9'] };
    for (const host of ['holdfast.example.com', 'HOLDFAST.example.com:443', 'agents.INTERNAL:8080', '[fd00:0:0::9]'])
      expect([host, answer(settings, { host })]).toEqual([host, 'own']);
    for (const host of ['example.com', 'evil.holdfast.example.com', 'holdfast.example.com.evil.example', 'internal'])
      expect([host, answer(settings, { host })]).toEqual([host, 'host not allowed']);
  });

  it('is no name that leads elsewhere, however it is spelled', () => {
    const spellings = [
      undefined,
      '',
      ' ',
      'evil.example',
      'localhost.evil.example',
      'evil.example#localhost',
      'evil.example/localhost',
      'evil.example?localhost',
      'localhost@evil.example',
      'evil.example\\localhost',
      'evil.example, localhost',
      'localhost:4400:4400',
      'localhost:99999',
      'localhost.',
      'http://localhost',
      'null',
      '[::1',
      '[::ffff:10.0.0.1]',
    ];
    for (const host of spellings) expect([host, answer({}, { host })]).toEqual([host, 'host not allowed']);
  });

  it('is not taken from X-Forwarded-Host', () => {
    expect(answer({}, { host: 'evil.example', forwarded: 'localhost' })).toBe('host not allowed');
    expect(answer({}, { host: 'localhost', forwarded: 'evil.example' })).toBe('own');
  });
});

describe('the Origin of a request at /mcp', () => {
  it('may be the page of the very host and port', () => {
    const host = 'localhost:4400';
    for (const origin of ['http://localhost:4400', 'HTTP://LocalHost:4400', 'https://localhost:4400'])
      expect([origin, answer({}, { host, origin })]).toEqual([origin, 'own']);
    for (const origin of ['http://localhost:3000', 'http://localhost', 'http://127.0.0.1:4400', 'https://evil.example'])
      expect([origin, answer({}, { host, origin })]).toEqual([origin, 'origin not allowed']);
  });

  it('may leave out the default port, as may the Host', () => {
    const settings = { allowedHosts: ['agents.example.com'] };
    const page = { origin: 'https://agents.example.com' };
    expect(answer(settings, { host: 'agents.example.com', ...page })).toBe('own');
    expect(answer(settings, { host: 'agents.example.com:443', ...page })).toBe('own');
    expect(answer(settings, { host: 'agents.example.com:8443', ...page })).toBe('origin not allowed');
  });

  it('may be that of PUBLIC_URL, also behind a proxy that names another Host', () => {
    const settings = { publicUrl: 'https://holdfast.example.com' };
    expect(answer(settings, { host: '127.0.0.1:4400', origin: 'https://holdfast.example.com' })).toBe('own');
    expect(answer(settings, { host: '127.0.0.1:4400', origin: 'http://holdfast.example.com' })).toBe(
      'origin not allowed',
    );
  });

  it('may be one of MCP_ALLOWED_ORIGINS, which is answered as it was sent', () => {
    const settings = { allowedOrigins: ['https://App.example.com/', 'http://localhost:6274'] };
    for (const origin of ['https://app.example.com', 'https://APP.example.com:443', 'http://localhost:6274'])
      expect([origin, answer(settings, { host: 'localhost', origin })]).toEqual([origin, origin]);
    for (const origin of [
      'http://app.example.com',
      'https://app.example.com:444',
      'https://app.example.com.evil.example',
      'https://evil.example#https://app.example.com',
      'https://app.example.com@evil.example',
      'https://evil.example, https://app.example.com',
      'http://localhost:6275',
    ])
      expect([origin, answer(settings, { host: 'localhost', origin })]).toEqual([origin, 'origin not allowed']);
  });

  it('is no opaque one, and no empty one', () => {
    for (const origin of ['null', '', 'file://', 'about:blank', 'data:', 'https://', 'localhost:4400', '//localhost'])
      expect([origin, answer({}, { host: 'localhost:4400', origin })]).toEqual([origin, 'origin not allowed']);
  });
});
