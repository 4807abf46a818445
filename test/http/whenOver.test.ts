import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isOver, whenOver } from '../../src/http/index.ts';
import { getText, sendAtOnce, startUnanswering, stopUnanswering } from './pipelined.ts';

afterEach(stopUnanswering);

describe('an answer is over', () => {
  it('once the answer has been sent, and only once', async () => {
    const server = await startUnanswering();
    const then = vi.fn();
    const read = once(get(server.url), 'response') as Promise<[IncomingMessage]>;
    const { request, response } = await server.next();
    whenOver(response, then);
    expect(isOver(response)).toBe(false);
    response.end('text');
    await (await read)[0].toArray();
    await vi.waitFor(() => expect(then).toHaveBeenCalledOnce());
    expect(isOver(response)).toBe(true);
    request.socket.destroy();
    await once(request.socket, 'close');
    expect(then).toHaveBeenCalledOnce();
    whenOver(response, then);
    expect(then).toHaveBeenCalledTimes(2);
  });

  it('with its connection, also while it waits behind another one', async () => {
    const server = await startUnanswering();
    const client = await sendAtOnce(
      server.url,
      ['/first', '/second'].map((path) => getText(path)),
    );
    const asked = [await server.next(), await server.next()];
    const over: (string | undefined)[] = [];
    for (const { request, response } of asked) whenOver(response, () => over.push(request.url));
    client.destroy();
    await vi.waitFor(() => expect(over.toSorted()).toEqual(['/first', '/second']));
    for (const { response } of asked) {
      const late = vi.fn();
      whenOver(response, late);
      expect(late).toHaveBeenCalledOnce();
    }
  });

  it('not if the callback was removed', async () => {
    const server = await startUnanswering();
    const client = await sendAtOnce(server.url, [getText('/')]);
    const { request, response } = await server.next();
    const then = vi.fn();
    whenOver(response, then)();
    client.destroy();
    await once(request.socket, 'close');
    expect(then).not.toHaveBeenCalled();
  });
});

describe('a connection', () => {
  it('that is kept for many requests keeps no listener of those that are over', async () => {
    const server = await startUnanswering();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const counts: number[] = [];
    for (let n = 0; n < 5; n++) {
      const read = once(get(server.url, { agent }), 'response') as Promise<[IncomingMessage]>;
      const { request, response } = await server.next();
      for (let listener = 0; listener < 3; listener++) whenOver(response, () => undefined);
      response.end('text');
      await (await read)[0].toArray();
      counts.push(request.socket.listenerCount('close'));
    }
    expect(new Set(counts).size).toBe(1);
    agent.destroy();
  });

  it('takes any number of requests at once with one listener', async () => {
    const server = await startUnanswering();
    const warned = vi.fn();
    process.on('warning', warned);
    const client = await sendAtOnce(
      server.url,
      Array.from({ length: 30 }, (_, n) => getText(`/${n}`)),
    );
    const then = vi.fn();
    let before = 0;
    for (let n = 0; n < 30; n++) {
      const { request, response } = await server.next();
      if (n === 0) before = request.socket.listenerCount('close');
      whenOver(response, then);
      expect(request.socket.listenerCount('close')).toBeLessThanOrEqual(before + 1);
    }
    client.destroy();
    await vi.waitFor(() => expect(then).toHaveBeenCalledTimes(30));
    process.off('warning', warned);
    expect(warned).not.toHaveBeenCalled();
  });
});
