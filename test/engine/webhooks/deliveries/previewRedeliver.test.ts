import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../../src/engine/ids.ts';
import {
  previewRedeliver,
  type RedeliverFilter,
  redeliverMany,
} from '../../../../src/engine/webhooks/deliveries/index.ts';
import { createTestProject, useEngine } from '../../../support/engine.ts';
import { insertDelivery, insertEndpoint, insertWork } from './scene.ts';

const on = useEngine();
let projectId: string;
let endpointId: string;

beforeEach(async () => {
  projectId = await createTestProject(on.engine);
  endpointId = await insertEndpoint(on.engine, projectId);
});

/** A delivery of a second ago: a preview leaves out those of its own millisecond. */
const make = (status: string, more: Parameters<typeof insertDelivery>[2] = {}) =>
  insertDelivery(on.engine, projectId, { endpointId, status, createdAt: new Date(Date.now() - 1_000), ...more });
const preview = (filter: RedeliverFilter, project = projectId) =>
  previewRedeliver(on.engine, { projectId: project, filter });
const redeliver = (filter: RedeliverFilter) => redeliverMany(on.engine, { projectId, actor: 'a key', filter });

describe('a preview of a redelivery', () => {
  test('leaves out what is in flight, and shows the newest five of the others', async () => {
    const ids: string[] = [];
    const at = (n: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + n * 1000);
    for (let n = 0; n < 7; n++) ids.push(await make('failed', { createdAt: at(n) }));
    await insertWork(on.engine, projectId, ids[6] ?? '', { leaseId: newId() });
    await make('exhausted', { endpointId: null, eventKind: 'custom', payload: '1', createdAt: at(0) });
    await make('succeeded');
    const shown = await preview({ until: at(100) });
    expect(shown).toMatchObject({
      ...{ matched: 8, count: 7, skipped: 1, capped: false, until: at(100) },
      byStatus: { pending: 0, succeeded: 0, failed: 7, exhausted: 1, dead: 0 },
      byEndpoint: [
        { endpointId, count: 7 },
        { endpointId: null, count: 1 },
      ],
    });
    expect(shown.sample.map(({ id }) => id)).toEqual(ids.slice(1, 6).reverse());
    expect(await redeliver({ until: at(100) })).toMatchObject({ matched: 8, redelivered: 7, skipped: 1 });
  });

  test('names an instant before which nothing comes later', async () => {
    await make('dead');
    const { until } = await preview({ endpointId });
    await make('dead', { createdAt: new Date() });
    expect(await redeliver({ endpointId, until })).toMatchObject({ matched: 1, redelivered: 1 });
  });

  test('takes the whole filter of the list, and ids', async () => {
    const runId = newId();
    const [told, sent, other] = [
      await make('dead', { runId, runStatus: 'failed', eventKind: 'run.failed' }),
      await make('dead', { runId, eventKind: 'custom', payload: '1', endpointId: null }),
      await make('dead', { app: 'other' }),
    ];
    const matches = async (filter: RedeliverFilter) => (await preview(filter)).sample.map(({ id }) => id).sort();
    expect(await matches({ runId })).toEqual([told, sent].sort());
    expect(await matches({ sourceRunId: runId })).toEqual([told]);
    expect(await matches({ app: 'other' })).toEqual([other]);
    expect(await matches({ eventKind: 'custom' })).toEqual([sent]);
    expect(await matches({ deliveryIds: [told, other, newId(), 'x'] })).toEqual([told, other].sort());
  });

  test("matches nothing by another project's ids", async () => {
    const runId = newId();
    const id = await make('dead', { runId, runStatus: 'failed' });
    const stranger = await createTestProject(on.engine);
    for (const filter of [{ endpointId }, { runId }, { sourceRunId: runId }, { deliveryIds: [id] }])
      expect(await preview(filter, stranger)).toMatchObject({ matched: 0, count: 0, sample: [], byEndpoint: [] });
  });

  test('is refused as the call is', async () => {
    for (const none of [{}, { deliveryIds: [] }])
      await expect(preview(none)).rejects.toMatchObject({ kind: 'invalid', message: /at least one/ });
    const many = Array.from({ length: 1001 }, () => newId());
    await expect(preview({ deliveryIds: many })).rejects.toThrow('deliveryIds may hold at most 1000 ids');
  });
});
