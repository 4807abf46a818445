import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import {
  type Connection,
  type ConnectionChange,
  type ConnectOptions,
  eventType,
  Holdfast,
  HoldfastConnectError,
} from '../../../sdk/src/index.ts';
import { hashStepId } from '../../../sdk/src/stepId.ts';
import { invokeOf, ServiceDouble } from '../support/serviceDouble.ts';

let service: ServiceDouble;
let hf: Holdfast;
let said: string[];
const connections: Connection[] = [];
const changes: ConnectionChange[] = [];

/** Bodies that a test holds until it lets them go. */
let release: () => void;
let held: Promise<void>;

beforeEach(async () => {
  service = await ServiceDouble.start();
  said = [];
  changes.length = 0;
  held = new Promise((resolve) => {
    release = resolve;
  });
  const say = (message: string) => said.push(message);
  hf = new Holdfast({ baseUrl: service.url, apiKey: 'hf_sk_x', logger: { info: say, warn: say, error: say } });
  hf.workflow({ id: 'greet', triggers: [eventType('hi')], retry: { maxAttempts: 3 } }, async ({ step }) =>
    step.run('say', () => 'hello'),
  );
  hf.workflow({ id: 'hold' }, async ({ step }) => step.run('wait', () => held));
});

afterEach(async () => {
  release();
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  await service.stop();
});

const connect = (options: ConnectOptions = {}): Connection => {
  const connection = hf.connect({ onChange: (change) => changes.push(change), ...options });
  connections.push(connection);
  return connection;
};
const change = (state: ConnectionChange['state'], count = 1): Promise<void> =>
  expect
    .poll(() => changes.filter((each) => each.state === state).length, { timeout: 10_000, interval: 5 })
    .toBeGreaterThanOrEqual(count);

describe('a runner connects', () => {
  it('with its key, without compression, and introduces itself', async () => {
    const connection = connect({ runner: 'r-1', region: 'eu', maxInFlight: 7 });
    await connection.ready;
    const peer = await service.peer(0);
    expect(service.authorizations).toEqual(['Bearer hf_sk_x']);
    expect(peer.extensions).toBe('');
    expect(await peer.hello()).toEqual({
      type: 'hello',
      protocolVersion: 1,
      app: 'default',
      runner: 'r-1',
      region: 'eu',
      runtime: 'node',
      language: 'typescript',
      framework: 'connect',
      sdkName: '@holdfast/sdk',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      maxInFlight: 7,
      workflows: [{ name: 'greet', triggers: [{ event: 'hi' }], retry: { maxAttempts: 3 } }, { name: 'hold' }],
    });
    expect(connection.runnerId).toBe('r-1');
    expect(changes.map(({ state }) => state)).toEqual(['connecting', 'ready']);
  });

  it('for the project that its platform key is to act for', async () => {
    const connection = new Holdfast({ baseUrl: service.url, apiKey: 'hf_plat_x', project: 'Łódź' }).connect();
    connections.push(connection);
    await connection.ready;
    expect(service.authorizations).toEqual(['Bearer hf_plat_x']);
    expect(service.projects.map((name) => Buffer.from(name ?? '', 'latin1').toString())).toEqual(['Łódź']);
  });

  it('answers an invoke with the opcodes of its pass', async () => {
    await connect().ready;
    const peer = await service.peer(0);
    peer.invoke('i1', 'greet');
    expect(await peer.result('i1')).toMatchObject({
      status: 206,
      body: { opcodes: [{ op: 'StepRun', name: 'say', data: 'hello' }], logs: [] },
    });
    peer.invoke('i2', 'greet', { steps: { [hashStepId('say')]: { data: 'hello' } } });
    expect(await peer.result('i2')).toMatchObject({ status: 200, body: { data: 'hello' } });
  });

  it('refuses a workflow that it does not have with 404', async () => {
    await connect().ready;
    const peer = await service.peer(0);
    peer.invoke('i1', 'nobody');
    const { status, body } = await peer.result('i1');
    expect(status).toBe(404);
    expect(body).toEqual({ error: 'no workflow "nobody" in app "default" on this runner' });
  });

  it('answers pings, and passes over frames of a later protocol', async () => {
    await connect().ready;
    const peer = await service.peer(0);
    peer.send({ type: 'novelty', of: 2030 });
    peer.send({ type: 'ping' });
    await peer.frame((frame) => frame.type === 'pong');
  });

  it('runs no more than maxInFlight passes at once', async () => {
    let running = 0;
    let most = 0;
    hf.workflow({ id: 'count' }, async ({ step }) =>
      step.run('a', async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
      }),
    );
    await connect({ maxInFlight: 3 }).ready;
    const peer = await service.peer(0);
    const ids = Array.from({ length: 12 }, (_, n) => `i${n}`);
    for (const id of ids) peer.invoke(id, 'count');
    await Promise.all(ids.map((id) => peer.result(id)));
    expect(most).toBe(3);
  });

  it('tells the handler of a cancelled pass, and answers at once, so that its slot is free', async () => {
    let isAborted = (): void => {};
    const aborted = new Promise<void>((resolve) => {
      isAborted = resolve;
    });
    hf.workflow({ id: 'long' }, async ({ step, run }) => {
      run.signal.addEventListener('abort', () => isAborted());
      await step.run('a', () => held);
    });
    await connect({ maxInFlight: 1 }).ready;
    const peer = await service.peer(0);
    for (const id of ['i1', 'i2', 'i3']) peer.invoke(id, 'long');
    peer.send({ type: 'cancel', id: 'i2', reason: 'run cancelled' });
    await peer.result('i2');
    peer.send({ type: 'cancel', id: 'i1', reason: 'run cancelled' });
    await aborted;
    expect(await peer.result('i1')).toMatchObject({ status: 503, body: { error: 'the pass was cancelled' } });
    release();
    await peer.result('i3');
    expect(peer.frames.map((frame) => frame.type)).toEqual(['hello', 'result', 'result', 'result']);
  });
});

describe('a lost connection', () => {
  it('is made again, and drops what was computed meanwhile', async () => {
    await connect().ready;
    const first = await service.peer(0);
    first.invoke('i1', 'hold');
    first.invoke('i2', 'greet');
    await first.result('i2');
    first.terminate();
    const second = await service.peer(1);
    await change('ready', 2);
    release();
    second.invoke('i3', 'hold');
    await second.result('i3');
    expect(second.frames.map((frame) => frame.type)).toEqual(['hello', 'result']);
    expect(changes.map(({ state }) => state)).toEqual(['connecting', 'ready', 'waiting', 'connecting', 'ready']);
  });

  it('tells the bodies that run that their result no longer counts', async () => {
    let isAborted = (): void => {};
    const aborted = new Promise<void>((resolve) => {
      isAborted = resolve;
    });
    let isStarted = (): void => {};
    const started = new Promise<void>((resolve) => {
      isStarted = resolve;
    });
    hf.workflow({ id: 'long' }, async ({ step }) =>
      step.run('a', ({ signal }) => {
        signal.addEventListener('abort', () => isAborted());
        isStarted();
        return held;
      }),
    );
    await connect().ready;
    const peer = await service.peer(0);
    peer.invoke('i1', 'long');
    await started;
    peer.terminate();
    await aborted;
  });

  it.each([1011, 1012, 4408, 4413])('is made again after close code %i', async (code) => {
    await connect().ready;
    (await service.peer(0)).close(code);
    await change('ready', 2);
  });

  it('is made again when the service was not there at first', async () => {
    const { port } = service;
    await service.stop();
    const connection = connect();
    await change('waiting', 2);
    service = await ServiceDouble.start(port);
    await connection.ready;
    expect(said.join('\n')).toMatch(/not connected .*ECONNREFUSED.*trying again in \d+ ms/);
  });

  it('is made again while a proxy answers 502', async () => {
    service.refuseWith = 502;
    const connection = connect();
    await change('waiting', 1);
    service.refuseWith = undefined;
    await connection.ready;
  });

  it('is noticed when the service falls silent', async () => {
    service.heartbeatMs = 10;
    await connect().ready;
    await change('ready', 2);
    expect((await (await service.peer(0)).closed).code).toBe(1006);
  });

  it('is not given up for a frame that takes longer to arrive than the service may be silent', async () => {
    service.heartbeatMs = 100;
    await connect().ready;
    const peer = await service.peer(0);
    const event = { name: 'greet', data: 'x'.repeat(30_000) };
    await peer.trickle(invokeOf('i1', 'greet', { event }), 1_200);
    expect(await peer.result('i1')).toMatchObject({ status: 206 });
    expect(service.peers).toHaveLength(1);
  });

  it.each(['ping', 'message'])(
    'lives as long as a %s comes, where the runtime does not show its connection',
    async (kind) => {
      const emit = WebSocket.prototype.emit;
      const spy = vi.spyOn(WebSocket.prototype, 'emit').mockImplementation(function (this: WebSocket, name, ...values) {
        return name !== 'upgrade' && emit.call(this, name, ...values);
      });
      service.heartbeatMs = 100;
      await connect().ready;
      spy.mockRestore();
      const peer = await service.peer(0);
      await peer.beat(kind === 'ping' ? () => peer.ping() : () => peer.send({ type: 'ping' }), 1_200);
      peer.invoke('i1', 'greet');
      expect(await peer.result('i1')).toMatchObject({ status: 206 });
      expect(service.peers).toHaveLength(1);
    },
  );

  it('is given up on when a frame is no frame', async () => {
    await connect().ready;
    const peer = await service.peer(0);
    peer.send('{"type":"invoke","id":7}');
    expect((await peer.closed).code).toBe(4400);
  });
});

describe('a refusal for good', () => {
  it.each([
    [4400, 'refused what this runner said: workflow "greet": bad cron'],
    [4401, 'does not know this API key'],
    [4403, 'a runner needs a secret API key'],
    [4409, 'different protocol versions'],
    [4410, 'another runner connected under the same id'],
  ])('%i ends the connection with a clear error', async (code, message) => {
    service.isWelcoming = false;
    const connection = connect();
    const peer = await service.peer(0);
    await peer.hello();
    peer.send({ type: 'error', error: 'workflow "greet": bad cron' });
    peer.close(code);
    await expect(connection.ready).rejects.toThrow(message);
    const error = await connection.closed;
    expect(error).toBeInstanceOf(HoldfastConnectError);
    expect(error).toMatchObject({ code });
    expect(connection.state).toBe('closed');
    expect(said.join()).toContain(message);
    expect(service.peers).toHaveLength(1);
  });

  it.each([401, 403])('HTTP %i on the upgrade does, too', async (status) => {
    service.refuseWith = status;
    const connection = connect();
    await expect(connection.ready).rejects.toMatchObject({ name: 'HoldfastConnectError', code: status });
  });

  it('is told in the words of the service', async () => {
    service.refuseWith = 403;
    service.refuseBecause = 'connecting a runner needs a secret key';
    await expect(connect().ready).rejects.toThrow('may not connect: HTTP 403: connecting a runner needs a secret key');
  });

  it('comes, after a while, from an address where no service is', { timeout: 30_000 }, async () => {
    service.refuseWith = 404;
    const connection = connect();
    const address = `${service.url.replace('http', 'ws')}/connect`;
    await expect(connection.ready).rejects.toThrow(
      `no service takes runners at ${address}: it answered HTTP 404, 6 times. Is baseUrl (or HOLDFAST_URL) right?`,
    );
    expect(await connection.closed).toMatchObject({ name: 'HoldfastConnectError', code: 404 });
    expect(said[0]).toContain(`not connected to ${address} (HTTP 404); trying again in`);
    expect(service.authorizations).toHaveLength(6);
  });
});

describe('an end', () => {
  it('asked for by the service lets what is in flight finish, beside a new connection', async () => {
    await connect().ready;
    const first = await service.peer(0);
    first.invoke('i1', 'hold');
    first.send({ type: 'drain' });
    first.invoke('too late', 'greet');
    const second = await service.peer(1);
    await change('ready', 2);
    second.invoke('i2', 'greet');
    await second.result('i2');
    expect(first.frames.map((frame) => frame.type)).toEqual(['hello']);
    release();
    await first.result('i1');
    expect((await first.closed).code).toBe(1000);
    second.invoke('i3', 'greet');
    await second.result('i3');
    expect(first.frames.filter((frame) => frame.type === 'result')).toHaveLength(1);
    expect(service.peers).toHaveLength(2);
    expect(changes.map(({ state }) => state)).toEqual(['connecting', 'ready', 'draining', 'connecting', 'ready']);
    expect(said).toEqual([]);
  });

  it('asked for by the service keeps to maxInFlight passes over both connections', async () => {
    const { first, second } = await withoutRoom();
    expect(second.frames.map((frame) => frame.type)).toEqual(['hello', 'pong']);
    release();
    await first.result('i1');
    await second.result('i2');
  });

  it('asked for by the service is no reason to give up where the old connection is then taken for replaced', async () => {
    const connection = connect();
    await connection.ready;
    const first = await service.peer(0);
    first.invoke('i1', 'hold');
    first.send({ type: 'drain' });
    await change('ready', 2);
    first.close(4410, 'replaced by a newer connection of the same runner');
    await first.closed;
    const second = await service.peer(1);
    second.invoke('i2', 'greet');
    await second.result('i2');
    expect(connection.state).toBe('ready');
  });

  it.each([false, true])(
    'by close() waits for what a drained connection has, connected anew or not (%s)',
    async (isAnew) => {
      const { connection, peer } = await withOneInFlight();
      if (!isAnew) service.refuseWith = 503;
      peer.send({ type: 'drain' });
      await (isAnew ? change('ready', 2) : change('waiting'));
      const closed = connection.close();
      expect(connection.state).toBe('draining');
      release();
      await peer.result('i1');
      await closed;
      expect((await peer.closed).code).toBe(1000);
      expect(connection.state).toBe('closed');
    },
  );

  it('by close() is not held up by a pass that found no room beside a drained connection', async () => {
    const { connection, first, second } = await withoutRoom();
    const closed = connection.close();
    expect(await second.drain()).toEqual({ type: 'drain', inFlight: [] });
    expect((await second.closed).code).toBe(1000);
    release();
    await first.result('i1');
    await closed;
  });

  /** A runner of one slot, whose drained connection holds `i1` in it; `i2`, which came over the next, waits for that. */
  async function withoutRoom() {
    const connection = connect({ maxInFlight: 1 });
    await connection.ready;
    const first = await service.peer(0);
    first.invoke('i1', 'hold');
    first.send({ type: 'drain' });
    const second = await service.peer(1);
    await change('ready', 2);
    second.invoke('i2', 'greet');
    second.send({ type: 'ping' });
    await second.frame((frame) => frame.type === 'pong');
    return { connection, first, second };
  }

  /** A connection whose runner holds the pass `i1`, and has answered another after it. */
  async function withOneInFlight() {
    const connection = connect();
    await connection.ready;
    const peer = await service.peer(0);
    peer.invoke('i1', 'hold');
    peer.invoke('i2', 'greet');
    await peer.result('i2');
    return { connection, peer };
  }

  it('by close() lets what is in flight finish, and does not connect again', async () => {
    const { connection, peer } = await withOneInFlight();
    const closed = connection.close();
    expect(connection.state).toBe('draining');
    release();
    await peer.result('i1');
    await closed;
    expect(await connection.closed).toBeUndefined();
    expect(service.peers).toHaveLength(1);
  });

  it('by close() tells the service what it still answers, and begins nothing more', async () => {
    let isStarted = (): void => {};
    const started = new Promise<void>((resolve) => {
      isStarted = resolve;
    });
    const begun: string[] = [];
    hf.workflow({ id: 'note' }, async ({ run, step }) =>
      step.run('a', () => {
        begun.push(run.id);
        isStarted();
        return held;
      }),
    );
    const connection = connect({ maxInFlight: 1 });
    await connection.ready;
    const peer = await service.peer(0);
    peer.invoke('i1', 'note');
    peer.invoke('i2', 'note');
    await started;
    peer.invoke('on its way', 'note');
    const closed = connection.close();
    expect(await peer.drain()).toEqual({ type: 'drain', inFlight: ['i1'] });
    peer.invoke('too late', 'note');
    release();
    await peer.result('i1');
    await closed;
    expect(begun).toEqual(['run of i1']);
    expect((await peer.closed).code).toBe(1000);
    expect(peer.frames.map((frame) => frame.type)).toEqual(['hello', 'drain', 'result']);
  });

  it('by close() says nothing that an older service would take for an error', async () => {
    service.accepts = undefined;
    const { connection, peer } = await withOneInFlight();
    const closed = connection.close();
    release();
    await peer.result('i1');
    await closed;
    expect(peer.frames.map((frame) => frame.type)).toEqual(['hello', 'result', 'result']);
  });

  it('by an aborted signal is the same', async () => {
    const abort = new AbortController();
    const connection = connect({ signal: abort.signal });
    await connection.ready;
    abort.abort();
    expect(await connection.closed).toBeUndefined();
  });

  it('comes at once while the connection is still being made, or waits to be made again', async () => {
    service.isWelcoming = false;
    const greeting = connect();
    await (await service.peer(0)).hello();
    await greeting.close();
    await expect(greeting.ready).rejects.toThrow('closed before');
    await service.stop();
    changes.length = 0;
    const waiting = connect();
    await change('waiting');
    await waiting.close();
    expect(waiting.state).toBe('closed');
  });
});

it('a missing key and a wrong URL are said at the call', () => {
  delete process.env.HOLDFAST_API_KEY;
  expect(() => new Holdfast({ baseUrl: service.url }).connect()).toThrow(/HOLDFAST_API_KEY/);
  expect(() => new Holdfast({ baseUrl: 'nowhere', apiKey: 'k' }).connect()).toThrow(/HOLDFAST_URL/);
  for (const maxInFlight of [0, 1.5, 100_001])
    expect(() => connect({ maxInFlight })).toThrow(
      `maxInFlight must be a whole number from 1 to 100000, not ${maxInFlight}`,
    );
});

it('the environment is read when it is needed, not before', async () => {
  const late = new Holdfast();
  process.env.HOLDFAST_URL = `${service.url}/`;
  process.env.HOLDFAST_API_KEY = 'late';
  try {
    const connection = late.connect();
    connections.push(connection);
    await connection.ready;
    expect(service.authorizations).toEqual(['Bearer late']);
  } finally {
    delete process.env.HOLDFAST_URL;
    delete process.env.HOLDFAST_API_KEY;
  }
});
