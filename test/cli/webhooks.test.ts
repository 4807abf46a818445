import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { insertDelivery, insertEndpoint } from '../engine/webhooks/deliveries/scene.ts';
import { type RestServer, startRest } from '../rest/restServer.ts';
import { type CliResult, cli } from './cli.ts';

let rest: RestServer;
beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest.close());

const run = (...args: string[]): Promise<CliResult> =>
  cli({ HOLDFAST_URL: rest.url, HOLDFAST_API_KEY: rest.keys.public }, 'webhooks', ...args);

describe('holdfast webhooks list', () => {
  it('shows a row for each delivery, newest first, and the cursor of the next page', async () => {
    const endpointId = await insertEndpoint(rest.engine, rest.projectId);
    const delivery = {
      endpointId,
      eventKind: 'run.failed',
      attemptCount: 2,
      createdAt: new Date('2026-01-01T10:00:00Z'),
    };
    const url = 'https://receiver.test/a\nb';
    const ids = [
      await insertDelivery(rest.engine, rest.projectId, { ...delivery, status: 'dead', lastStatusCode: 404, url }),
      await insertDelivery(rest.engine, rest.projectId, { ...delivery, status: 'exhausted' }),
    ];
    const { code, out, err } = await run('list', '--endpoint', endpointId, '--kind', 'run.failed', '--status', 'dead');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^ID +STATUS +KIND +APP +CREATED +ATTEMPTS +CODE +URL$/),
      expect.stringMatching(
        / dead {4}run\.failed {2}shop {2}2026-01-01 10:00 {2}2 +404 {3}https:\/\/receiver\.test\/a\?b$/,
      ),
    ]);
    const first = await run('list', '--endpoint', endpointId, '--limit', '1', '--json');
    expect(JSON.parse(first.out)).toMatchObject([{ id: ids.sort().at(-1) }]);
    expect(first.err).toMatch(/^holdfast: more deliveries: add --cursor \S+\n$/);
    expect((await run('list', '--since', '1h', '--endpoint', endpointId)).out.trim().split('\n')).toHaveLength(1);
    expect((await run('list', '--status', 'lost')).err).toContain('status must be one of pending');
  });
});

describe('holdfast webhooks tail', () => {
  it('prints each change of an endpoint, as a line or as JSON', async () => {
    const [one, two] = [
      await insertEndpoint(rest.engine, rest.projectId),
      await insertEndpoint(rest.engine, rest.projectId),
    ];
    const failed = { eventKind: 'run.failed', status: 'failed', attemptCount: 1, lastStatusCode: 503 } as const;
    const nextAttemptAt = new Date('2027-01-01T00:00:00Z');
    const id = await insertDelivery(rest.engine, rest.projectId, { ...failed, endpointId: one, nextAttemptAt });
    const other = await insertDelivery(rest.engine, rest.projectId, { endpointId: two });
    const lines = run('tail', '--endpoint', one, '--limit', '2');
    const texts = run('tail', '--limit', '1', '--json');
    let isOver = false;
    const both = Promise.all([lines, texts]).finally(() => {
      isOver = true;
    });
    await vi.waitUntil(
      () => {
        for (const deliveryId of [other, id])
          rest.engine.bus.emit('delivery.changed', { projectId: rest.projectId, deliveryId });
        return isOver;
      },
      { timeout: 20_000, interval: 100 },
    );
    await both;
    const line = `${id}  shop  run.failed  failed  attempt 1  503  again at 2027-01-01 00:00`;
    expect((await lines).out.trim().split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^\\S+ {2}${line}$`)),
      expect.stringMatching(new RegExp(`^\\S+ {2}${line}$`)),
    ]);
    expect([id, other]).toContain(JSON.parse((await texts).out).id);
  });
});
