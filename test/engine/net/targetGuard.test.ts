import { createServer, request } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { HoldfastError } from '../../../src/engine/errors.ts';
import { assertAllowedUrl, forbiddenTarget, guardedLookup } from '../../../src/engine/net/index.ts';

const strict = { allowPrivate: false };
const open = { allowPrivate: true };

describe('the URL of a target', () => {
  it.each([
    'http://example.com/hook',
    'https://8.8.8.8:8443/x?y#z',
    'https://[2606:4700::1111]/',
    'http://[64:ff9b::808:808]/',
  ])('may be %s', (url) => {
    expect(assertAllowedUrl(url, strict).href).toBe(new URL(url).href);
  });

  it.each([
    'http://localhost/',
    'http://LOCALHOST.:80/',
    'http://a.b.localhost/',
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0177.0.0.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://１２７.0.0.1/',
    'http://0/',
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.0.1/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a00:1]/',
    'http://[::7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b:1::1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fc00::1]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://[2001:db8::1]/',
    'http://169.254.1.1/',
    'http://100.64.0.1/',
    'http://[2606:4700::5efe:808:808]/',
    'http://[2606:4700::200:5efe:a00:1]/',
    'http://[fe80::5efe:a00:1]/',
  ])('may be %s only where private targets are allowed', (url) => {
    expect(() => assertAllowedUrl(url, strict, 'hook')).toThrow(
      new HoldfastError('invalid', 'hook must not address a private, loopback or link-local network'),
    );
    expect(() => assertAllowedUrl(url, open)).not.toThrow();
  });

  it.each([
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '169.254.170.2',
    '169.254.170.23',
    '169.254.0.23',
    '169.254.42.42',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '[fd00:ec2::254]',
    '[fd00:ec2::23]',
    '[fd20:ce::254]',
    '[fd00:42::42]',
    '[fd00:c1::a9fe:a9fe]',
    '[fe80::a9fe:a9fe]',
    '[::ffff:169.254.169.254]',
    '[::a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b:1::a9fe:a9fe]',
    '[2002:a9fe:a9fe::]',
    '[2606:4700::5efe:a9fe:a9fe]',
  ])('must not be the metadata service at %s, even where private targets are allowed', (host) => {
    expect(() => assertAllowedUrl(`http://${host}/latest`, strict)).toThrow(/must not address/);
    expect(() => assertAllowedUrl(`http://${host}/latest`, open)).toThrow(
      new HoldfastError('invalid', 'url must not address the metadata service of a cloud'),
    );
  });

  it.each([
    '',
    'example.com',
    '/path',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://',
    'http://256.1.1.1/',
  ])('must not be %j', (url) => {
    for (const rules of [strict, open])
      expect(() => assertAllowedUrl(url, rules)).toThrow('url must be an http or https URL');
  });

  it('must hold no credentials', () => {
    for (const url of ['http://user@example.com/', 'https://:secret@example.com/']) {
      expect(() => assertAllowedUrl(url, open)).toThrow('url must not contain credentials');
    }
  });
});

/** The answer of the lookup for a DNS that returns `addresses`. */
function look(rules: { allowPrivate: boolean }, addresses: string[], all: boolean): Promise<unknown> {
  const dns = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const lookup = guardedLookup(rules, (_name, _options, callback) => callback(null, dns));
  return new Promise((resolve, reject) => {
    lookup('name.example', { all }, (error, found, family) =>
      error ? reject(error) : resolve(all ? found : [found, family]),
    );
  });
}

describe('resolving a name when connecting', () => {
  it('gives public addresses only', async () => {
    const mixed = ['10.0.0.1', '8.8.8.8', '::1', '2606:4700::1111'];
    expect(await look(strict, mixed, true)).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
    expect(await look(strict, mixed, false)).toEqual(['8.8.8.8', 4]);
    expect(await look(open, mixed, false)).toEqual(['10.0.0.1', 4]);
  });

  it('fails where a name has none', async () => {
    for (const all of [true, false]) {
      await expect(look(strict, ['127.0.0.1', '::ffff:10.0.0.1', 'fe80::1%lo'], all)).rejects.toMatchObject({
        code: forbiddenTarget,
      });
    }
  });

  it('never gives the address of a metadata service', async () => {
    expect(await look(open, ['169.254.169.254', 'fd00:ec2::254', '10.0.0.1'], true)).toEqual([
      { address: '10.0.0.1', family: 4 },
    ]);
    for (const rules of [strict, open])
      await expect(look(rules, ['169.254.169.254'], false)).rejects.toMatchObject({ code: forbiddenTarget });
  });

  it('passes on the failure of DNS', async () => {
    const lookup = guardedLookup(strict, (_name, _options, callback) => {
      callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
    });
    const failed = new Promise((_resolve, reject) => lookup('nowhere.example', {}, (error) => reject(error)));
    await expect(failed).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('keeps a real request from reaching this machine', async () => {
    let reached = 0;
    const server = createServer((_request, response) => {
      reached++;
      response.end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const get = (lookup: LookupFunction): Promise<number | string | undefined> =>
      new Promise((resolve) => {
        request({ host: 'localhost', port, lookup, family: 4 })
          .on('response', (response) => resolve(response.resume().statusCode))
          .on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
          .end();
      });
    expect(await get(guardedLookup(strict))).toBe(forbiddenTarget);
    expect(reached).toBe(0);
    expect(await get(guardedLookup(open))).toBe(200);
    await new Promise((resolve) => server.close(resolve));
  });
});
