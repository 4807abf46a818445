import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ResolveAll } from '../../../src/engine/net/index.ts';
import { hostResolver } from '../../../src/engine/net/resolveHost.ts';

/** A server of names: silent, or one that knows no name. */
async function nameServer(how: 'silent' | 'knows none'): Promise<Resolver> {
  const server = createSocket('udp4');
  onTestFinished(() => void server.close());
  server.on('message', (query, { port, address }) => {
    if (how === 'silent') return;
    const answer = Buffer.from(query);
    // The flags of an answer: there is no such name.
    answer.writeUInt16BE(0x8183, 2);
    server.send(answer, port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  const resolver = new Resolver({ timeout: 200, tries: 1 });
  resolver.setServers([`127.0.0.1:${(server.address() as AddressInfo).port}`]);
  onTestFinished(() => resolver.cancel());
  return resolver;
}

const asked: string[] = [];
const system: ResolveAll = (hostname, _, callback) => {
  asked.push(hostname);
  callback(null, [{ address: '192.0.2.7', family: 4 }]);
};

const resolve = (how: ResolveAll, name: string): Promise<string> =>
  new Promise((done) => {
    how(name, { all: true }, (error, addresses) => done(error?.code ?? addresses.map(({ address }) => address).join()));
  });

async function hosts(text: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'hosts-')), 'hosts');
  await writeFile(file, text);
  return file;
}

test('a name whose servers are silent fails in time, and never takes a thread of the runtime', async () => {
  asked.length = 0;
  const how = hostResolver({ resolver: await nameServer('silent'), system, hostsFile: '/nowhere' });
  const names = Array.from({ length: 8 }, (_, n) => `dead${n}.example.com`);
  expect(new Set(await Promise.all(names.map((name) => resolve(how, name))))).toEqual(new Set(['ETIMEOUT']));
  expect(asked).toEqual([]);
});

test('names of the hosts file, names without a dot and local names go the way of the system', async () => {
  asked.length = 0;
  const hostsFile = await hosts('192.0.2.7 db.internal.example Named.Example # other.example\n');
  const how = hostResolver({ resolver: await nameServer('silent'), system, hostsFile });
  const names = ['localhost', 'api.localhost', 'runner', 'named.example', 'DB.internal.example.'];
  for (const name of names) expect(await resolve(how, name)).toBe('192.0.2.7');
  expect(asked).toEqual(names);
  expect(await resolve(how, 'other.example')).toBe('ETIMEOUT');
});

test('a name that the servers do not know may be known to the system', async () => {
  const how = hostResolver({ resolver: await nameServer('knows none'), system, hostsFile: '/nowhere' });
  expect(await resolve(how, 'service.namespace')).toBe('192.0.2.7');
});
