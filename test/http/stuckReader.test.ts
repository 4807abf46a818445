import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { send } from '../../src/rest/declare/answer.ts';
import { getText, sendAtOnce, startUnanswering, stopUnanswering } from './pipelined.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(async () => {
  vi.useRealTimers();
  await stopUnanswering();
});

const requests = [getText('/first'), getText('/second', { Connection: 'close' })];

describe('an answer that is ready before the one ahead of it on its connection', () => {
  it('waits for that for so long, then the connection is cut', async () => {
    const server = await startUnanswering();
    const client = await sendAtOnce(server.url, requests);
    const first = await server.next();
    first.response.write('a stream');
    send((await server.next()).response, { status: 200, body: 'held' });
    const closed = once(client, 'close');
    vi.advanceTimersByTime(29_000);
    expect(first.request.socket.destroyed).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect(first.request.socket.destroyed).toBe(true);
    client.resume();
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves once that has left', async () => {
    const server = await startUnanswering();
    const client = await sendAtOnce(server.url, requests);
    const first = await server.next();
    send((await server.next()).response, { status: 200, body: 'held' });
    send(first.response, { status: 200, body: 'ahead' });
    const text = (await client.setEncoding('utf8').toArray()).join('');
    expect(text).toMatch(/"ahead".*"held"/s);
    expect(vi.getTimerCount()).toBe(0);
  });
});
