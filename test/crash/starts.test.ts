import { describe, expect, test } from 'vitest';
import { listens, useServices } from '../support/services.ts';

describe('the service', () => {
  const services = useServices();

  test('stops in order when its terminal closes, however often it is told', async () => {
    const service = await services.start();
    const port = await services.postgresPort();
    service.child.kill('SIGHUP');
    service.child.stderr.once('data', () => service.child.kill('SIGHUP'));
    expect(await service.exit).toBe(0);
    expect(service.output.log).toContain('stopped');
    expect(await listens(port)).toBe(false);
  });

  test('comes back after SIGKILL, on the database that it left running', async () => {
    const first = await services.start();
    await first.end('SIGKILL');
    expect(await listens(await services.postgresPort())).toBe(true);
    const second = await services.start();
    expect(second.keys.secretKey).toBe(first.keys.secretKey);
    expect(second.output.log).toContain('PostgreSQL that is already running');
  });

  test('ends at once on a second signal', async () => {
    const service = await services.start();
    service.child.kill('SIGTERM');
    service.child.kill('SIGINT');
    // Which of the two arrives first is up to the system; a stop in order would answer 0.
    expect([130, 143]).toContain(await service.exit);
  });
});
