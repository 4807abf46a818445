import { describe, expect } from 'vitest';
import { HoldfastConnectError } from '../../../sdk/src/index.ts';
import { it } from './scene.ts';

describe('a refusal for good', () => {
  it.for<[number, string]>([
    [4400, 'refused what this runner said: workflow "greet": bad cron'],
    [4401, 'does not know this API key'],
    [4403, 'a runner needs a secret API key'],
    [4409, 'different protocol versions'],
    [4410, 'another runner connected under the same id'],
  ])('%i ends the connection with a clear error', async ([code, message], { scene }) => {
    scene.service.isWelcoming = false;
    const connection = scene.connect();
    const peer = await scene.service.peer(0);
    await peer.hello();
    peer.send({ type: 'error', error: 'workflow "greet": bad cron' });
    peer.close(code);
    await expect(connection.ready).rejects.toThrow(message);
    const error = await connection.closed;
    expect(error).toBeInstanceOf(HoldfastConnectError);
    expect(error).toMatchObject({ code });
    expect(connection.state).toBe('closed');
    expect(scene.said.join()).toContain(message);
    expect(scene.service.peers).toHaveLength(1);
  });

  it.for([401, 403])('HTTP %i on the upgrade does, too', async (status, { scene }) => {
    scene.service.refuseWith = status;
    const connection = scene.connect();
    await expect(connection.ready).rejects.toMatchObject({ name: 'HoldfastConnectError', code: status });
  });

  it('is told in the words of the service', async ({ scene }) => {
    scene.service.refuseWith = 403;
    scene.service.refuseBecause = 'connecting a runner needs a secret key';
    await expect(scene.connect().ready).rejects.toThrow(
      'may not connect: HTTP 403: connecting a runner needs a secret key',
    );
  });

  it('comes, after a while, from an address where no service is', { timeout: 30_000 }, async ({ scene }) => {
    scene.service.refuseWith = 404;
    const connection = scene.connect();
    const address = `${scene.service.url.replace('http', 'ws')}/connect`;
    await expect(connection.ready).rejects.toThrow(
      `no service takes runners at ${address}: it answered HTTP 404, 6 times. Is baseUrl (or HOLDFAST_URL) right?`,
    );
    expect(await connection.closed).toMatchObject({ name: 'HoldfastConnectError', code: 404 });
    expect(scene.said[0]).toContain(`not connected to ${address} (HTTP 404); trying again in`);
    expect(scene.service.authorizations).toHaveLength(6);
  });
});
