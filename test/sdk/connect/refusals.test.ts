import { afterEach, describe, expect, vi } from 'vitest';
import { type ConnectionChange, HoldfastConnectError } from '../../../sdk/src/index.ts';
import { it } from './site.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a refusal for good', () => {
  it.for<[number, string]>([
    [4400, 'refused a frame of this runner as malformed: workflow "greet": bad cron'],
    [4401, 'does not know this API key'],
    [4403, 'a runner needs a secret API key'],
    [4409, 'different protocol versions'],
    [4410, 'another runner connected under the same id'],
  ])('%i ends the connection with a clear error', async ([code, message], { site }) => {
    site.service.isWelcoming = false;
    const connection = site.connect();
    const peer = await site.service.peer(0);
    await peer.hello();
    peer.send({ type: 'error', error: 'workflow "greet": bad cron' });
    peer.close(code);
    await expect(connection.ready).rejects.toThrow(message);
    const error = await connection.closed;
    expect(error).toBeInstanceOf(HoldfastConnectError);
    expect(error).toMatchObject({ code });
    expect(connection.state).toBe('closed');
    expect(site.logged.join()).toContain(message);
    expect(site.service.peers).toHaveLength(1);
  });

  it.for([401, 403])('HTTP %i on the upgrade does, too', async (status, { site }) => {
    site.service.refuseWith = status;
    const connection = site.connect();
    await expect(connection.ready).rejects.toMatchObject({ name: 'HoldfastConnectError', code: status });
  });

  it('has the reason of the service', async ({ site }) => {
    site.service.refuseWith = 403;
    site.service.refuseBecause = 'connecting a runner needs a secret key';
    await expect(site.connect().ready).rejects.toThrow(
      'may not connect: HTTP 403: connecting a runner needs a secret key',
    );
  });

  it('comes, after a while, from an address where no service is', async ({ site }) => {
    site.service.refuseWith = 404;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    // The timer of the next dial starts right after the change.
    const skipWait = (change: ConnectionChange): void => {
      if (change.state === 'waiting') queueMicrotask(() => vi.advanceTimersByTime(change.retryInMs));
    };
    const connection = site.connect({ onChange: skipWait });
    const address = `${site.service.url.replace('http', 'ws')}/connect`;
    await expect(connection.ready).rejects.toThrow(
      `no service takes runners at ${address}: it answered HTTP 404, 6 times. Is baseUrl (or HOLDFAST_URL) right?`,
    );
    expect(await connection.closed).toMatchObject({ name: 'HoldfastConnectError', code: 404 });
    expect(site.logged[0]).toContain(`not connected to ${address} (HTTP 404); retrying in`);
    expect(site.service.authorizations).toHaveLength(6);
  });
});
