import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getText, sendAtOnce } from '../http/pipelined.ts';
import { limitsWith } from '../support/settings.ts';
import { type RestServer, startRest } from './restServer.ts';

let rest: RestServer;
beforeEach(async () => {
  rest = await startRest({ settings: { limits: limitsWith({ streamsPerKey: 2 }) } });
});
afterEach(() => rest.close());

const get = (path: string): string => getText(path, { Authorization: `Bearer ${rest.keys.public}` });
const held = (): number => rest.engine.payloadRoom.heldBytes;
const openStreams = async (): Promise<string | undefined> => {
  const { text } = await rest.call('GET', '/metrics', undefined, { key: rest.keys.operator });
  return /^holdfast_sse_streams.* (\d+)$/m.exec(text)?.[1];
};

describe('an answer that waits behind a stream of the same connection', () => {
  it('holds no room once the connection is gone, and the service closes', async () => {
    await rest.call('POST', '/events', { name: 'large', data: 'x'.repeat(100_000) });
    const client = await sendAtOnce(rest.url, [get('/events/stream'), get('/events?name=large')]);
    await expect.poll(held).toBeGreaterThan(0);
    client.destroy();
    await expect.poll(held).toBe(0);
    await rest.app.close();
  });

  it('is a stream no more once the connection is gone: its place is free', async () => {
    const client = await sendAtOnce(rest.url, [get('/events/stream'), get('/events/stream')]);
    await expect.poll(openStreams).toBe('2');
    client.destroy();
    await expect.poll(openStreams).toBe('0');
  });
});
