import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { closeServer, createHttpServer, ListenError, listen, type RequestHandler } from '../src/server.ts';

describe('the HTTP server', () => {
  let server: Server;
  let port: number;
  let answer: RequestHandler;

  beforeEach(async () => {
    answer = (_, response) => response.end('rest');
    server = createHttpServer({
      paths: { '/graphql': (_, response) => response.end('graphql') },
      otherwise: (request, response) => answer(request, response),
      upgrades: { '/connect': (_, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n') },
    });
    port = await listen(server, { host: '127.0.0.1', port: 0 });
  });
  afterEach(async () => {
    server.closeAllConnections();
    await closeServer(server, { lingerMs: 0 });
  });

  const read = async (path: string, agent?: Agent): Promise<string> => {
    const [response]: IncomingMessage[] = await once(get({ port, path, agent, host: '127.0.0.1' }), 'response');
    return (await response?.setEncoding('utf8').toArray())?.join('') ?? '';
  };
  const sendRaw = async (text: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    socket.write(text);
    return (await socket.setEncoding('utf8').toArray()).join('');
  };
  /** Each once the one before is answered. */
  const sendInTurn = async (...texts: string[]): Promise<string> => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    const [first = '', ...others] = texts;
    socket.write(first);
    let received = '';
    for await (const chunk of socket) {
      received += chunk;
      const next = others.shift();
      if (next !== undefined) socket.write(next);
    }
    return received;
  };
  const upgradeText = (path: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
  const upgrade = (path: string): Promise<string> => sendRaw(upgradeText(path));
  /**
   * A client who has read the refusal of what they sent, and keeps their side of the connection
   * open.
   */
  const refused = async (sent: string): Promise<Socket> => {
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    client.resume().write(sent);
    await once(client, 'end');
    expect(client.writable).toBe(true);
    return client;
  };
  const connections = (): Promise<number> => promisify(server.getConnections.bind(server))();

  test('sends /graphql to its handler, with or without a query, and the rest to the other', async () => {
    expect(await read('/graphql')).toBe('graphql');
    expect(await read('/graphql?query={viewer{name}}')).toBe('graphql');
    expect(await read('/graphql/x')).toBe('rest');
    expect(await read('/runs')).toBe('rest');
  });

  test('hands an upgrade to the owner of its path', async () => {
    expect(await upgrade('/connect?x=1')).toContain('101 Switching Protocols');
    expect(await upgrade('/connect/?x=1')).toContain('101 Switching Protocols');
  });

  test.each(['Authorization: Bearer a\r\nauthorization: Bearer b', 'Host: x'])(
    'refuses a request and an upgrade with a header twice: %s',
    async (twice) => {
      const name = twice.startsWith('Host') ? 'Host' : 'Authorization';
      const refusal = new RegExp(`^HTTP/1.1 400 .*\\{"error":"the ${name} header is there twice"\\}$`, 's');
      expect(await sendRaw(`GET /runs HTTP/1.1\r\nHost: x\r\n${twice}\r\n\r\n`)).toMatch(refusal);
      expect(await sendRaw(upgradeText('/connect').replace('Connection', `${twice}\r\nConnection`))).toMatch(refusal);
    },
  );

  test('refuses an upgrade by a page of another origin', async () => {
    const from = (origin: string): Promise<string> =>
      sendRaw(upgradeText('/connect').replace('Connection', `Origin: ${origin}\r\nConnection`));
    expect(await from('http://x')).toContain('101 Switching Protocols');
    for (const origin of ['http://y', 'http://x:81', 'null'])
      expect(await from(origin)).toMatch(/^HTTP\/1.1 403 .*\{"error":"the origin of the page is not allowed/s);
  });

  test('answers an upgrade elsewhere with 404', async () => {
    const text = await upgrade('/elsewhere');
    expect(text).toMatch(/^HTTP\/1.1 404 Not Found\r\n/);
    expect(text).toContain('{"error":"not found"}');
  });

  test.each([
    ['an upgrade', upgradeText('/elsewhere')],
    ['what is no HTTP', 'hello\r\n\r\n'],
  ])('lets go of the connection over which it refused %s, though its client keeps it', async (_what, sent) => {
    const client = await refused(sent);
    await expect.poll(connections, { timeout: 5_000 }).toBe(0);
    client.destroy();
  });

  test.each([
    ['an upgrade', upgradeText('/elsewhere'), '{"error":"not found"}'],
    ['what is no HTTP', 'hello\r\n\r\n', '{"error":"malformed HTTP request"}'],
  ])('tells why it refuses %s also where its client goes on sending', async (_what, start, reason) => {
    expect(await sendRaw(`${start}${'x'.repeat(8 * 1024 * 1024)}`)).toContain(reason);
  });

  test('answers a request that offers HTTP/2 as if it had not', async () => {
    answer = async (request, response) => {
      const body = (await request.setEncoding('utf8').toArray()).join('');
      response.end(`${request.method} ${request.headers['x-name']} ${body}`);
    };
    const offer =
      'Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nX-Name: é\r\n';
    const last = 'GET /runs HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    expect(await sendInTurn(`GET /runs HTTP/1.1\r\n${offer}\r\n`, last)).toMatch(
      /200 OK.*GET Ã©.*200 OK.*GET undefined/s,
    );
    const post = `POST /events HTTP/1.1\r\n${offer}Content-Length: 4\r\n\r\nbody`;
    expect(await sendInTurn(post, last)).toMatch(/200 OK.*POST Ã© body.*200 OK.*GET/s);
  });

  test('answers what is no HTTP with 400 and headers without end with 431', async () => {
    expect(await sendRaw('hello\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*\{"error":"malformed HTTP request"\}$/s);
    const long = `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`;
    expect(await sendRaw(long)).toMatch(/^HTTP\/1.1 431 .*\{"error":"request headers too large"\}$/s);
    expect(await read('/runs')).toBe('rest');
  });

  test('answers a request without Host with 400, and an expectation that it does not know with 417', async () => {
    expect(await sendRaw('GET / HTTP/1.1\r\n\r\n')).toMatch(
      /^HTTP\/1.1 400 .*\{"error":"the Host header is missing"\}$/s,
    );
    const expecting = 'POST / HTTP/1.1\r\nHost: x\r\nExpect: much\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
    expect(await sendRaw(expecting)).toMatch(/^HTTP\/1.1 417 .*\{"error":"the expectation is not supported"\}$/s);
    expect(await sendRaw('GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 .*rest$/s);
  });

  test('says what to do when its port is in use', async () => {
    const second = createHttpServer({ paths: {}, otherwise: () => undefined, upgrades: {} });
    const listening = listen(second, { host: '127.0.0.1', port });
    await expect(listening).rejects.toThrow(ListenError);
    await expect(listening).rejects.toThrow(/is in use .* set PORT/);
  });

  test('answers for a moment while it closes, over connections old and new, and says that it will close them', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = async (): Promise<string | undefined> => {
      const [response]: IncomingMessage[] = await once(get({ port, agent, host: '127.0.0.1' }), 'response');
      await response?.toArray();
      return response?.headers.connection;
    };
    expect(await ask()).toBe('keep-alive');
    const closed = closeServer(server, { lingerMs: 500 });
    // The first over the connection that there is, the others over new ones.
    expect([await ask(), await ask(), await ask()]).toEqual(['close', 'close', 'close']);
    await closed;
    await expect(read('/runs')).rejects.toThrow('ECONNREFUSED');
  });

  test('closes after the last answer, though clients would keep their connections', async () => {
    const agent = new Agent({ keepAlive: true });
    let finish: (() => void) | undefined;
    const asked = new Promise<void>((resolve) => {
      answer = (_, response) => {
        finish = () => response.end('late');
        resolve();
      };
    });
    const late = read('/slow', agent);
    await asked;
    const closed = closeServer(server, { lingerMs: 20 });
    finish?.();
    expect(await late).toBe('late');
    await closed;
    await expect(read('/runs')).rejects.toThrow('ECONNREFUSED');
    agent.destroy();
  });

  test('closes soon though a client has connected and asked nothing yet', async () => {
    const socket = connect(port, '127.0.0.1');
    await once(server, 'connection');
    const gone = once(socket, 'close');
    await closeServer(server, { lingerMs: 20 });
    await gone;
  });

  test('does not wait to close for a client whose upgrade it refused', async () => {
    // So that nothing is let go of in time.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const client = await refused(upgradeText('/elsewhere'));
    const closed = closeServer(server, { lingerMs: 0 });
    await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0));
    await vi.advanceTimersByTimeAsync(0);
    await closed;
    client.destroy();
    vi.useRealTimers();
  });

  test('closes after a while though a client never finishes its request', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('POST /events HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{');
    answer = (request) => request.resume();
    await once(server, 'request');
    const gone = once(socket, 'close');
    await closeServer(server, { lingerMs: 20, graceMs: 20 });
    await gone;
  });
});
