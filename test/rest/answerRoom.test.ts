import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { defaultEngineSettings } from '../../src/engine/settings.ts';
import { insertRun } from '../schema/fixtures.ts';
import { type RestServer, startRest } from './restServer.ts';

let rest: RestServer;
beforeAll(async () => {
  const limits = { ...defaultEngineSettings.limits, answersMaxBytes: 16 * 1024 * 1024 };
  rest = await startRest({ settings: { limits, answerWaitMs: 200 } });
  // More than the system buffers for a connection, and almost a page.
  const data = JSON.stringify('x'.repeat(1_000_000));
  for (let n = 0; n < 16; n++) await rest.call('POST', '/events', `{"name":"large","data":${data}}`);
  await rest.call('POST', '/events', { name: 'small', data: 1 });
});
afterAll(() => rest.close());

/** Sends a request, and reads only the head of the answer. */
async function askAndWait(path: string): Promise<IncomingMessage> {
  const request = get(`${rest.url}${path}`, { headers: { authorization: `Bearer ${rest.keys.public}` } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.pause();
  return response;
}

const held = (): number => rest.engine.payloadRoom.heldBytes;

describe('large answers', () => {
  it('share a limited memory, and others wait for it until they are answered 503', async () => {
    const slow = await askAndWait('/events?name=large');
    expect(held()).toBeGreaterThan(15_000_000);
    expect(await rest.call('GET', '/events?name=large&limit=4')).toMatchObject({
      status: 503,
      body: { error: 'too many large answers are in progress: retry, or request fewer rows' },
    });
    const refused = await rest.call('GET', '/events?name=large');
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await rest.call('GET', '/events?name=small')).toMatchObject({ status: 200, body: { length: 1 } });
    const waiting = rest.call('GET', '/events?name=large');
    slow.destroy();
    expect(await waiting).toMatchObject({ status: 200 });
    await expect.poll(held).toBe(0);
  });

  it('that were taken, or whose callers have gone, hold nothing', async () => {
    const id = await insertRun(rest.engine, rest.projectId, { input: JSON.stringify('x'.repeat(100_000)) });
    for (const path of [`/runs/${id}`, '/events?name=large&limit=2'])
      expect(await rest.call('GET', path)).toMatchObject({ status: 200 });
    await expect.poll(held).toBe(0);
    (await askAndWait('/events?name=large')).destroy();
    await expect.poll(held).toBe(0);
  });

  it('are waited for by no caller that has gone', async () => {
    const limits = { ...defaultEngineSettings.limits, answersMaxBytes: 1_000 };
    const full = await startRest({ settings: { limits, answerWaitMs: 60_000 } });
    full.engine.payloadRoom.enterNow(1_000);
    const enter = vi.spyOn(full.engine.payloadRoom, 'enter');
    const id = await insertRun(full.engine, full.projectId, { input: JSON.stringify('x'.repeat(100_000)) });
    const request = get(`${full.url}/runs/${id}`, { headers: { authorization: `Bearer ${full.keys.public}` } });
    request.on('error', () => undefined);
    await expect.poll(() => enter.mock.results).toHaveLength(1);
    request.destroy();
    await expect(enter.mock.results[0]?.value).rejects.toMatchObject({ kind: 'busy' });
    await full.close();
  });
});
