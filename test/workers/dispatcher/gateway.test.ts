import { bodyLimitBytes, frameLimitBytes } from '@holdfast/sdk/protocol';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ScriptedSite } from './kit/scriptedSite.ts';

let site: ScriptedSite;
beforeAll(async () => {
  site = await ScriptedSite.open();
});
afterAll(() => site.close());

describe('hello', () => {
  it('is answered with ready: the runner id, the protocol version and the heartbeat', async () => {
    const runner = site.connect();
    await runner.opened();
    runner.send({ type: 'hello', app: 'shop', runner: 'r1', protocolVersion: 1, workflows: [{ name: 'order' }] });
    expect(await runner.next('ready')).toEqual({
      type: 'ready',
      runnerId: 'r1',
      protocolVersion: 1,
      heartbeatMs: site.engine.settings.runnerHeartbeatMs,
      accepts: ['drain'],
    });
    await runner.close();
  });

  it('that offers features is answered with those that the service knows', async () => {
    const runner = site.connect();
    await runner.opened();
    runner.send({ type: 'hello', app: 'shop', features: ['started', 'later'], workflows: [{ name: 'order' }] });
    expect(await runner.next('ready')).toMatchObject({ features: ['started'] });
    await runner.close();
  });

  it('without a protocol version is taken as compatible', async () => {
    const runner = site.connect();
    expect(await runner.ready({ runner: 'no-version' })).toBe('no-version');
    await runner.close();
  });

  it('without a runner id is known by its connection', async () => {
    const runner = site.connect();
    const runnerId = await runner.ready();
    expect(site.registry.registrations.all.at(-1)?.connectionId).toBe(runnerId);
    await runner.close();
  });

  it('hands the registry what the runner said', async () => {
    const runner = site.connect();
    await runner.ready({ runner: 'full', runtime: 'node', region: 'eu', maxInFlight: 7 });
    expect(site.registry.registrations.all.at(-1)?.registration).toMatchObject({
      app: 'shop',
      runtime: 'node',
      region: 'eu',
      maxInFlight: 7,
      workflows: [{ name: 'order' }],
    });
    await runner.close();
  });

  it('may have null for absent fields', async () => {
    const runner = site.connect();
    await runner.opened();
    const nothing = { runner: null, region: null, protocolVersion: null, maxInFlight: null };
    runner.send({ type: 'hello', app: 'shop', workflows: [], ...nothing });
    await runner.next('ready');
    await runner.close();
  });

  it('of another protocol version is refused with 4409', async () => {
    const runner = site.connect();
    await runner.opened();
    runner.send({ type: 'hello', app: 'shop', protocolVersion: 2, workflows: [] });
    expect((await runner.next('error')).error).toMatch(
      /^protocolVersion 2 is not supported: this service speaks version 1$/,
    );
    expect((await runner.closed).code).toBe(4409);
  });

  it('that the registry refuses ends with its reason and 4400', async () => {
    const runner = site.connect();
    await runner.opened();
    runner.send({ type: 'hello', workflows: [] });
    expect((await runner.next('error')).error).toBe('app must be a string');
    expect((await runner.closed).code).toBe(4400);
  });

  it('that fails because of an internal error ends with that text only', async () => {
    site.registry.onRegister = () => {
      throw new Error('connection to 10.0.0.7 refused');
    };
    const runner = site.connect();
    await runner.opened();
    runner.send({ type: 'hello', app: 'shop', workflows: [] });
    expect((await runner.next('error')).error).toBe('internal error');
    expect(await runner.closed).toEqual({ code: 1011, reason: 'internal error' });
    site.registry.onRegister = () => undefined;
  });

  it('W2: whose registration had an unknown outcome is reported as closed', async () => {
    site.registry.onEntered = () => {
      throw new Error('Connection terminated unexpectedly');
    };
    const runner = site.connect();
    await runner.opened();
    runner.send({ type: 'hello', app: 'shop', runner: 'unsure', workflows: [] });
    expect((await runner.closed).code).toBe(1011);
    site.registry.onEntered = () => undefined;
    const { connectionId } = await site.registry.registrations.next(
      ({ registration }) => (registration as { runner?: string }).runner === 'unsure',
    );
    await site.registry.disconnected.next((id) => id === connectionId);
  });

  it('W2: of a socket that closes meanwhile is reported as closed', async () => {
    let proceed = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    site.registry.onRegister = () => held;
    const runner = site.connect();
    await runner.opened();
    runner.send({ type: 'hello', app: 'shop', runner: 'fleeting', workflows: [{ name: 'order' }] });
    runner.vanish();
    await vi.waitFor(() => expect(site.dispatcher.stats().sockets).toBe(0));
    site.registry.onRegister = () => undefined;
    proceed();
    const { connectionId, isGivenUp } = await site.registry.registrations.next(
      ({ registration }) => (registration as { runner?: string }).runner === 'fleeting',
    );
    expect(isGivenUp?.()).toBe(true);
    await site.registry.disconnected.next((id) => id === connectionId);
  });
});

describe('a frame that is malformed or out of order', () => {
  const hello = '{"type":"hello","app":"shop","workflows":[]}';
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  it.each([
    ['no JSON', '{"type":'],
    ['not an object', '[1]'],
    ['null', 'null'],
    ['without a type', '{}'],
    ['of an unknown type', '{"type":"ready"}'],
    ['with a type that is no string', '{"type":{"a":1}}'],
    ['started before hello', '{"type":"started","id":"x","steps":[]}'],
    ['a drain before hello', '{"type":"drain","inFlight":[]}'],
    ['a result before hello', '{"type":"result","id":"x","status":200,"body":{}}'],
    ['maxInFlight 0', '{"type":"hello","app":"shop","workflows":[],"maxInFlight":0}'],
    ['maxInFlight that is no integer', '{"type":"hello","app":"shop","workflows":[],"maxInFlight":1.5}'],
    ['a protocol version that is no number', '{"type":"hello","app":"shop","workflows":[],"protocolVersion":"1"}'],
    ['nested 100,000 deep', `{"type":"hello","app":${'['.repeat(100_000)}`],
    ['a hello nested 501 deep', `{"type":"hello","app":"shop","workflows":[],"more":${nested(500)}}`],
  ])('G3: gets an error and 4400: %s', async (_, text) => {
    const runner = site.connect();
    await runner.opened();
    runner.sendText(text);
    await runner.next('error');
    expect((await runner.closed).code).toBe(4400);
  });

  it.each([
    ['a second hello', hello],
    ['a drain of what is no list', '{"type":"drain","inFlight":"x"}'],
    ['a drain of what are no ids', '{"type":"drain","inFlight":[1]}'],
    ['started without an id', '{"type":"started","steps":[]}'],
    ['started without steps', '{"type":"started","id":"x"}'],
    ['started with too many steps', `{"type":"started","id":"x","steps":[${'0,'.repeat(1000)}0]}`],
    [
      'started with a step without a name',
      '{"type":"started","id":"x","steps":[{"id":"a","attempt":1,"elapsedMs":1}]}',
    ],
    ['started at no time', '{"type":"started","id":"x","steps":[{"id":"a","name":"a","attempt":1}]}'],
    ['a result without id', '{"type":"result","status":200,"body":{}}'],
    ['a result with an empty id', '{"type":"result","id":"","status":200,"body":{}}'],
    ['a result without status', '{"type":"result","id":"x","body":{}}'],
    ['a result with a status that is no integer', '{"type":"result","id":"x","status":200.5,"body":{}}'],
    ['a result without a body', '{"type":"result","id":"x","status":200}'],
  ])('gets an error and 4400 after ready: %s', async (_, text) => {
    const runner = site.connect();
    await runner.ready({ runner: 'misbehaved', features: ['started'] });
    runner.sendText(text);
    await runner.next('error');
    expect((await runner.closed).code).toBe(4400);
  });

  it('is binary: 4400', async () => {
    const runner = site.connect();
    await runner.opened();
    runner.ws.send(Buffer.from(hello), { binary: true });
    await runner.next('error');
    expect((await runner.closed).code).toBe(4400);
  });

  it('is no UTF-8: 4400', async () => {
    const runner = site.connect();
    await runner.opened();
    runner.ws.send(Buffer.from([0x22, 0xc3, 0x28, 0x22]), { binary: false });
    expect((await runner.closed).code).toBe(4400);
  });

  it('is larger than a frame may be: 4413', async () => {
    const runner = site.connect();
    await runner.ready({ runner: 'verbose' });
    runner.sendText(`{"type":"pong","pad":"${'x'.repeat(frameLimitBytes)}"}`);
    expect((await runner.next('error')).error).toContain(String(frameLimitBytes));
    expect((await runner.closed).code).toBe(4413);
  });

  it('G3: does not affect other sockets', async () => {
    const [good, bad] = [site.connect(), site.connect()];
    await Promise.all([good.ready({ runner: 'good' }), bad.ready({ runner: 'bad' })]);
    bad.sendText('{');
    await bad.closed;
    const [runId] = site.enqueue();
    const invoke = await good.next('invoke');
    expect(invoke.request.ctx.runId).toBe(runId);
    good.answer(invoke);
    await site.work.settlements.next(({ runId: settled }) => settled === runId);
    await good.close();
  });
});

describe('invoke and result', () => {
  it('pass the texts through unchanged', async () => {
    const runner = site.connect();
    await runner.ready();
    const seen = new Promise<string>((resolve) => {
      runner.ws.on('message', (data) => {
        if (String(data).includes('"invoke"')) resolve(String(data));
      });
    });
    const [runId] = site.enqueue();
    const invoke = await runner.next('invoke');
    expect(await seen).toContain('"data":1e400');
    runner.sendText(
      `{"status":206, "body": {"n":1e400, "z":-0 ,"big":12345678901234567890}, "id":"${invoke.id}","type":"result"}`,
    );
    const { reply } = await site.work.settlements.next((each) => each.runId === runId);
    expect(reply).toEqual({
      kind: 'answer',
      status: 206,
      body: '{"n":1e400, "z":-0 ,"big":12345678901234567890}',
      elapsedMs: expect.any(Number),
    });
    await runner.close();
  });

  it('have started steps between them, which are those of the open invoke', async () => {
    const runner = site.connect();
    await runner.ready({ features: ['started'] });
    const [runId] = site.enqueue();
    const invoke = await runner.next('invoke');
    const steps = [{ id: 'a', name: 'A', attempt: 1, elapsedMs: 500, position: 0 }];
    runner.send({ type: 'started', id: 'another', steps });
    runner.send({ type: 'started', id: invoke.id, steps });
    runner.answer(invoke);
    runner.send({ type: 'started', id: invoke.id, steps });
    await site.work.settlements.next((each) => each.runId === runId);
    await runner.close();
    expect(site.work.started).toEqual([{ runId, steps }]);
  });

  it('have no started steps between them unless the hello offered that', async () => {
    const runner = site.connect();
    await runner.ready();
    runner.send({ type: 'started', id: 'x', steps: [] });
    expect((await runner.next('error')).error).toBe('started was not agreed on');
    expect((await runner.closed).code).toBe(4400);
  });

  it.each([100, 204, 302, 418, 599])('leave status %i to the engine', async (status) => {
    const runner = site.connect();
    await runner.ready();
    const [runId] = site.enqueue();
    runner.answer(await runner.next('invoke'), status);
    const { reply } = await site.work.settlements.next((each) => each.runId === runId);
    expect(reply).toMatchObject({ kind: 'answer', status });
    await runner.close();
  });

  it('a body of exactly 1 MiB is accepted, one byte more fails the pass and not the socket', async () => {
    const runner = site.connect();
    await runner.ready();
    for (const [extra, kind] of [
      [0, 'answer'],
      [1, 'tooLarge'],
    ] as const) {
      const [runId] = site.enqueue();
      const { id } = await runner.next('invoke');
      const body = JSON.stringify('x'.repeat(bodyLimitBytes - 2 + extra));
      expect(Buffer.byteLength(body)).toBe(bodyLimitBytes + extra);
      runner.sendText(`{"type":"result","id":"${id}","status":200,"body":${body}}`);
      const { reply } = await site.work.settlements.next((each) => each.runId === runId);
      expect(reply.kind).toBe(kind);
    }
    await runner.close();
  });

  it('a body counts in bytes, not in characters', async () => {
    const runner = site.connect();
    await runner.ready();
    const [runId] = site.enqueue();
    const { id } = await runner.next('invoke');
    runner.sendText(`{"type":"result","id":"${id}","status":200,"body":"${'é'.repeat(bodyLimitBytes / 2)}"}`);
    const { reply } = await site.work.settlements.next((each) => each.runId === runId);
    expect(reply.kind).toBe('tooLarge');
    await runner.close();
  });

  it('an answer that comes twice, for an unknown id, or over another socket changes nothing', async () => {
    const [runner, other] = [site.connect(), site.connect()];
    await runner.ready({ runner: 'one' });
    await other.ready({ runner: 'two', workflows: [] });
    const before = site.dispatcher.stats().ignoredAnswers;
    const [runId] = site.enqueue();
    const invoke = await runner.next('invoke');
    other.answer(invoke, 200, { data: 'stolen' });
    other.answer({ id: 'unknown' });
    await vi.waitFor(() => expect(site.dispatcher.stats().ignoredAnswers).toBe(before + 2));
    for (let i = 0; i < 3; i++) runner.answer(invoke, 200, { data: i });
    const { reply } = await site.work.settlements.next((each) => each.runId === runId);
    expect(reply).toMatchObject({ body: '{"data":0}' });
    await vi.waitFor(() => expect(site.dispatcher.stats().ignoredAnswers).toBe(before + 4));
    expect(site.work.settlements.all.filter((each) => each.runId === runId)).toHaveLength(1);
    await Promise.all([runner.close(), other.close()]);
  });

  it('takes answers in any order', async () => {
    const runner = site.connect();
    await runner.ready();
    const runIds = site.enqueue(3);
    const invokes = [await runner.next('invoke'), await runner.next('invoke'), await runner.next('invoke')];
    for (const invoke of invokes.reverse()) runner.answer(invoke, 200, { data: invoke.request.ctx.runId });
    for (const runId of runIds) {
      const { reply } = await site.work.settlements.next((each) => each.runId === runId);
      expect(reply).toMatchObject({ body: `{"data":"${runId}"}` });
    }
    await runner.close();
  });

  it('stays within maxInFlight', async () => {
    const runner = site.connect();
    await runner.ready({ maxInFlight: 2 });
    site.enqueue(5);
    const first = await runner.next('invoke');
    const second = await runner.next('invoke');
    expect(site.dispatcher.stats().invoked).toBe(2);
    runner.answer(first);
    const third = await runner.next('invoke');
    expect(site.dispatcher.stats().invoked).toBe(2);
    for (const invoke of [second, third]) runner.answer(invoke);
    for (let i = 0; i < 2; i++) runner.answer(await runner.next('invoke'));
    await vi.waitFor(() => expect(site.dispatcher.stats().held).toBe(0));
    await runner.close();
  });

  it('a pass that continues is invoked again, under a new id', async () => {
    const runner = site.connect();
    await runner.ready();
    const [runId] = site.enqueue();
    let passes = 0;
    site.work.onSettle = () => (++passes < 3 ? 'again' : 'released');
    const ids = new Set<string>();
    for (let i = 0; i < 3; i++) {
      const invoke = await runner.next('invoke');
      expect(invoke.request.ctx.runId).toBe(runId);
      ids.add(invoke.id);
      runner.answer(invoke, 206, { opcodes: [], logs: [] });
    }
    expect(ids.size).toBe(3);
    await vi.waitFor(() => expect(site.dispatcher.stats().held).toBe(0));
    site.work.onSettle = () => 'released';
    await runner.close();
  });
});

describe('cancel', () => {
  it('is sent when the run is cancelled under its pass, and the answer is ignored', async () => {
    const runner = site.connect();
    await runner.ready({ maxInFlight: 1 });
    const [runId = ''] = site.enqueue();
    const invoke = await runner.next('invoke');
    site.engine.bus.emit('run.cancelled', { runId, reason: 'cancelled by ops' });
    expect(await runner.next('cancel')).toEqual({ type: 'cancel', id: invoke.id, reason: 'cancelled by ops' });
    // Its slot is taken until it answers.
    const [next] = site.enqueue();
    runner.answer(invoke);
    expect((await runner.next('invoke')).request.ctx.runId).toBe(next);
    expect(site.work.settlements.all.some((each) => each.runId === runId)).toBe(false);
    runner.vanish();
    await runner.closed;
  });

  it('is also sent if another process cancelled the run', async () => {
    const runner = site.connect();
    await runner.ready();
    const [runId = ''] = site.enqueue();
    const invoke = await runner.next('invoke');
    site.work.latest = { ...site.work.latest, lostRuns: [runId] };
    expect((await runner.next('cancel')).id).toBe(invoke.id);
    site.work.latest = { ...site.work.latest, lostRuns: [] };
    runner.answer(invoke);
    await runner.close();
  });
});
