import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { closeServer, createHttpServer, listen, type ServerLimits } from '../../src/server.ts';
import { getText, sendAtOnce } from './pipelined.ts';

interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
}

let server: Server;
let asked: Asked[];
let port: number;

async function start(limits: Partial<ServerLimits> = {}): Promise<void> {
  asked = [];
  const otherwise = (request: IncomingMessage, response: ServerResponse): void => {
    asked.push({ request, response });
  };
  const upgrades = { '/connect': (_: IncomingMessage, socket: { end(text: string): void }) => socket.end('upgraded') };
  server = createHttpServer({ paths: {}, otherwise, upgrades }, limits);
  port = await listen(server, { host: '127.0.0.1', port: 0 });
}
afterEach(async () => {
  server.closeAllConnections();
  await closeServer(server, { graceMs: 0 });
});

const urls = (): (string | undefined)[] => asked.map(({ request }) => request.url);
const paths = (count: number): string[] => Array.from({ length: count }, (_, n) => `/${n}`);
const send = (texts: readonly string[]): Promise<Socket> => sendAtOnce(`http://127.0.0.1:${port}`, texts);
const textOf = async (socket: Socket): Promise<string> => (await socket.setEncoding('utf8').toArray()).join('');
const answer = (nth: number): unknown => asked[nth]?.response.end(`answer ${asked[nth]?.request.url}.`);
const serverSide = (): Socket | undefined => asked[0]?.request.socket;

describe('the requests of one connection', () => {
  it('begin in order, so many at once, and all are answered', async () => {
    await start({ requestsPerConnection: 4 });
    const client = await send([...paths(30).map((path) => getText(path)), getText('/last', { Connection: 'close' })]);
    const text = textOf(client);
    await expect.poll(urls).toEqual(paths(4));
    expect(serverSide()?.isPaused()).toBe(true);
    for (let nth = 0; nth < 31; nth++) {
      await expect.poll(() => asked.length).toBe(Math.min(31, nth + 4));
      answer(nth);
    }
    const expected = [...paths(30), '/last'].map((path) => `answer ${path}.`);
    expect((await text).match(/answer \/\w+\./g)).toEqual(expected);
  });

  it('are read again when none is held', async () => {
    await start({ requestsPerConnection: 1 });
    const client = await send([getText('/a'), getText('/b')]);
    client.resume();
    await expect.poll(urls).toEqual(['/a']);
    answer(0);
    await expect.poll(urls).toEqual(['/a', '/b']);
    answer(1);
    client.write(getText('/c'));
    await expect.poll(urls).toEqual(['/a', '/b', '/c']);
    expect(serverSide()?.listenerCount('resume')).toBe(1);
  });

  it('never begin after their connection has closed', async () => {
    await start({ requestsPerConnection: 2, heldRequests: 8 });
    const client = await send(paths(10).map((path) => getText(path)));
    await expect.poll(urls).toEqual(paths(2));
    client.destroy();
    // The connection is paused, so only its answers find out.
    for (const { response } of asked) response.write('x'.repeat(1_000_000));
    await expect.poll(() => serverSide()?.destroyed).toBe(true);
    expect(urls()).toEqual(paths(2));
    // Their places in the process are free.
    const second = await send(paths(10).map((path) => getText(path)));
    await expect.poll(() => asked.length).toBe(4);
    second.destroy();
  });

  it('are cut when the process holds too many', async () => {
    await start({ requestsPerConnection: 2, heldRequests: 3 });
    const client = await send(paths(6).map((path) => getText(path)));
    await once(client.resume(), 'close');
    expect(asked.length).toBeLessThanOrEqual(2);
  });

  it('do not keep the body of the last one that began from arriving', async () => {
    await start({ requestsPerConnection: 2 });
    const post = 'POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n';
    const client = await send([getText('/a'), post]);
    await expect.poll(urls).toEqual(['/a', '/b']);
    client.write('body');
    expect(await asked[1]?.request.setEncoding('utf8').toArray()).toEqual(['body']);
    client.destroy();
  });
});

describe('behind a request that has no answer yet', () => {
  it('an upgrade closes the connection', async () => {
    await start();
    const upgrade = getText('/connect', { Connection: 'Upgrade', Upgrade: 'websocket' });
    const client = await send([getText('/a'), upgrade, getText('/b')]);
    expect(await textOf(client)).toBe('');
    expect(urls()).toEqual(['/a']);
  });

  it('a malformed request is refused after that answer', async () => {
    await start();
    const client = await send([getText('/a'), 'nonsense\r\n\r\n']);
    const text = textOf(client);
    await expect.poll(urls).toEqual(['/a']);
    asked[0]?.response.write('one');
    asked[0]?.response.end('two');
    expect(await text).toMatch(/^HTTP\/1.1 200 .*one.*two.*HTTP\/1.1 400 .*malformed HTTP request/s);
  });
});

describe('a body that was not read before the answer', () => {
  const post = (length: number): string => `POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
  const refuse = async (): Promise<void> => {
    await expect.poll(() => asked.length).toBe(1);
    asked[0]?.response.writeHead(401).end('refused');
  };

  it('is read to a limit, then the connection is cut', async () => {
    await start({ unreadBytes: 1_000 });
    const client = await send([post(1_000_000)]);
    client.resume();
    await refuse();
    const closed = once(client, 'close');
    client.on('error', () => undefined).write('x'.repeat(2_000));
    await closed;
  });

  it('is read for a while, then the connection is cut', async () => {
    await start({ unreadMs: 10 });
    const client = await send([post(1_000_000)]);
    await refuse();
    expect(await textOf(client)).toContain('refused');
  });

  it('keeps the connection if it ends in time', async () => {
    await start({ unreadBytes: 1_000 });
    const client = await send([post(4)]);
    client.resume();
    await refuse();
    client.write(`body${getText('/b')}`);
    await expect.poll(urls).toEqual(['/a', '/b']);
    client.destroy();
  });
});

describe('a server', () => {
  it('waits 30 s for headers and 60 s for a request', async () => {
    await start();
    expect(server).toMatchObject({ headersTimeout: 30_000, requestTimeout: 60_000 });
  });

  it('answers 408 to a request that does not arrive in time, and keeps an answer that takes longer', async () => {
    await start({ headersMs: 20, requestMs: 20, checkMs: 5 });
    const slow = await send([getText('/stream', { Connection: 'close' })]);
    expect(await textOf(await send(['POST /a HTTP/1.1\r\nHost: x\r\n']))).toContain('408 Request Timeout');
    answer(0);
    expect(await textOf(slow)).toContain('answer /stream');
  });

  it('closes connections beyond its limit', async () => {
    await start({ connections: 1 });
    const first = await send([getText('/a', { Connection: 'close' })]);
    await expect.poll(urls).toEqual(['/a']);
    const second = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(second.resume(), 'close');
    answer(0);
    expect(await textOf(first)).toContain('answer /a');
  });
});
