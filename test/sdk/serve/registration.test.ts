import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { serve } from '../../../sdk/src/index.ts';
import { httpDouble, json } from '../support/httpDouble.ts';
import { client, invokeBody, post, secret, signed } from './site.ts';

/** The service's answer to a registration. */
const registered = (invokeSecret: string | undefined = secret) => ({
  runnerId: 'r-1',
  app: 'default',
  workflows: ['greet'],
  protocolVersion: 1,
  invokeSecret,
});

describe('a registration', () => {
  it('registers the runner with the service, and gives the secret to serve', async () => {
    const service = await httpDouble((_seen, response) => json(response, 200, registered()));
    const hf = client({ baseUrl: service.url });
    const registrar = await hf.register({ url: 'https://runner.test/holdfast', runner: 'r-1', region: 'eu' });
    onTestFinished(() => registrar.close());
    expect(registrar.runnerId).toBe('r-1');
    expect(service.seen[0]).toMatchObject({ method: 'POST', url: '/register' });
    expect(service.seen[0]?.headers.authorization).toBe('Bearer k');
    expect(JSON.parse(service.seen[0]?.body ?? '')).toMatchObject({
      app: 'default',
      runner: 'r-1',
      region: 'eu',
      url: 'https://runner.test/holdfast',
      protocolVersion: 1,
      runtime: 'node',
      language: 'typescript',
      sdkName: '@holdfast/sdk',
      workflows: [{ name: 'greet' }],
    });
    expect((await serve(hf)(post(invokeBody()))).status).toBe(206);
  });

  it('says how many passes the runner takes at once, where it is asked to', async () => {
    const service = await httpDouble((_seen, response) => json(response, 200, registered()));
    const hf = client({ baseUrl: service.url });
    for (const maxInFlight of [undefined, 7])
      (await hf.register({ url: 'https://runner.test/holdfast', maxInFlight })).close();
    expect(service.seen.map(({ body }) => JSON.parse(body).maxInFlight)).toEqual([undefined, 7]);
    for (const maxInFlight of [0, 1.5, 100_001])
      await expect(hf.register({ url: 'https://runner.test/', maxInFlight })).rejects.toThrow('from 1 to 100000, not');
  });

  it('that brings a new secret keeps the one before it valid, and none that is older', async () => {
    const secrets = ['whsec_1', 'whsec_2', 'whsec_2', 'whsec_3'];
    const service = await httpDouble((_seen, response) => json(response, 200, registered(secrets.shift())));
    const hf = client({ baseUrl: service.url });
    const handler = serve(hf);
    const statusOf = async (key: string): Promise<number> => {
      const body = invokeBody();
      return (await handler(post(body, signed(body, key).headers))).status;
    };
    const registrar = await hf.register({ url: 'https://runner.test/', everyMs: 0 });
    expect([await statusOf('whsec_1'), await statusOf('whsec_2')]).toEqual([206, 401]);
    for (let again = 1; again <= 2; again += 1) {
      await registrar.registerOnce();
      expect([await statusOf('whsec_1'), await statusOf('whsec_2')]).toEqual([206, 206]);
    }
    await registrar.registerOnce();
    const statuses = [await statusOf('whsec_1'), await statusOf('whsec_2'), await statusOf('whsec_3')];
    expect(statuses).toEqual([401, 206, 206]);
    expect(hf.invokeSecret).toBe('whsec_3');
    const aDayLater = performance.now() + 86_400_000;
    const later = vi.spyOn(performance, 'now').mockReturnValue(aDayLater);
    onTestFinished(() => later.mockRestore());
    expect([await statusOf('whsec_2'), await statusOf('whsec_3')]).toEqual([401, 206]);
  });

  it('is repeated no sooner than was asked, however rarely that is', async () => {
    const service = await httpDouble((_seen, response) => json(response, 200, registered()));
    const every = vi.spyOn(globalThis, 'setInterval');
    onTestFinished(() => every.mockRestore());
    const hf = client({ baseUrl: service.url });
    for (const everyMs of [2_592_000_000, Number.POSITIVE_INFINITY]) {
      (await hf.register({ url: 'https://runner.test/', everyMs })).close();
      expect(every.mock.lastCall?.[1]).toBe(2_147_483_647);
    }
    for (const everyMs of [-1, Number.NaN]) {
      await expect(hf.register({ url: 'https://runner.test/', everyMs })).rejects.toThrow('everyMs must be a number');
    }
    expect(service.seen).toHaveLength(2);
  });

  it('is repeated, and outlives a failure', async () => {
    let count = 0;
    const service = await httpDouble((_seen, response) => {
      count += 1;
      if (count === 2) return json(response, 500, { error: 'internal error' });
      json(response, 200, registered());
    });
    const registrar = await client({ baseUrl: service.url }).register({ url: 'https://runner.test/', everyMs: 5 });
    await expect.poll(() => count).toBeGreaterThan(3);
    registrar.close();
  });

  it('waits for a service that is not up, and throws what the service has against it', async () => {
    let count = 0;
    const service = await httpDouble((_seen, response) => {
      count += 1;
      json(response, count < 2 ? 503 : 400, { error: 'workflow "greet": bad cron' });
    });
    const registering = client({ baseUrl: service.url }).register({ url: 'https://runner.test/' });
    await expect(registering).rejects.toMatchObject({ status: 400, message: 'workflow "greet": bad cron' });
    expect(count).toBe(2);
  });
});
