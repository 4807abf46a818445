import { beforeAll, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../../../src/engine/context.ts';
import type { Queryable, ReadQuery } from '../../../../src/engine/db/index.ts';
import { newId } from '../../../../src/engine/ids.ts';
import type { Page } from '../../../../src/engine/paging/index.ts';
import {
  type DeliveryFilter,
  type DeliveryRow,
  deliveryKinds,
  deliveryStatuses,
  listDeliveries,
} from '../../../../src/engine/webhooks/deliveries/index.ts';
import { createTestProject, useEngine } from '../../../support/engine.ts';
import { withObservedReads } from '../../../support/observedReads.ts';
import { insertEndpoint } from './scene.ts';

const on = useEngine();
/** A larger number shows the same, and takes minutes to write. */
const many = Number(process.env['DELIVERIES'] ?? 30_000);
const start = Date.parse('2026-01-01T00:00:00Z');

let projectId: string;
const busy = newId();
const down = newId();
const rare = newId();
const longRun = newId();
const inFlight = 20;

/**
 * Rare rows are the oldest, so that a walk from the newest one would pass nearly all others: a
 * twentieth is of other apps, kinds, endpoints and statuses. The newest are in flight.
 */
async function insertMany(): Promise<void> {
  projectId = await createTestProject(on.engine);
  for (const id of [busy, down, rare]) await insertEndpoint(on.engine, projectId, { id });
  await on.db.query({
    text: `
      insert into webhook_delivery (id, project_id, app, endpoint_id, url, event_kind, run_id, run_status, status, created_at)
      select uuidv7(), $1, case when n % 997 = 0 and n < $2 / 20 then 'rare' else 'shop' end,
        case when n < $2 / 20 and n % 500 = 1 then $5::uuid when n % 10 = 0 then $4::uuid else $3::uuid end,
        'https://receiver.test/hook',
        case when n >= $2 / 20 or n % 7 = 0 then 'step.succeeded'
          else (array['run.succeeded', 'run.failed', 'run.cancelled', 'step.failed', 'step.skipped', 'custom'])[n % 6 + 1] end,
        case when n between $2 / 2 and $2 / 2 + 5000 then $6::uuid else md5((n / 8)::text)::uuid end, 'running',
        case when n % 10 = 0 and n < $2 / 2 then 'pending'
          when n >= $2 - ${inFlight} then 'pending'
          when n >= $2 / 20 then 'succeeded'
          else (array['failed', 'exhausted', 'dead', 'succeeded'])[n % 4 + 1] end,
        to_timestamp($7::float8 / 1000 + n / 50)
      from generate_series(0, $2 - 1) n`,
    values: [projectId, many, busy, down, rare, longRun, start],
  });
  await on.db.query(`
    insert into webhook_work (delivery_id, project_id, lane, due_at)
    select id, project_id, endpoint_id, created_at from webhook_delivery where status in ('pending', 'failed')`);
  await on.db.query(`
    update webhook_work set lease_id = uuidv7(), claim_no = 1
    where delivery_id in (select id from webhook_delivery where status = 'pending' order by created_at desc, id desc limit ${inFlight})`);
}

interface Explained {
  'QUERY PLAN': string;
}

/** The pages that a statement reads, from the cache or not. */
async function pagesOf(db: Queryable, { text, values }: ReadQuery): Promise<number> {
  const { rows } = await db.query<Explained>({ text: `explain (analyze, buffers) ${text}`, values });
  const root = rows.map((row) => row['QUERY PLAN']).find((line) => line.includes('Buffers: ')) ?? '';
  const counts = [...root.matchAll(/(?:hit|read)=(\d+)/g)].map(([, pages]) => Number(pages));
  return counts.reduce((sum, pages) => sum + pages, 0);
}

/** An engine that counts the pages of the database that its lists read. */
function counting(): { engine: EngineContext; pages: () => number } {
  let pages = 0;
  const engine = withObservedReads(on.engine, async (tx, read, query) => {
    pages += await pagesOf(tx, query);
    await read();
  });
  return {
    engine,
    pages: () => {
      expect(pages).toBeGreaterThan(0);
      return pages;
    },
  };
}

const middle = (): Date => new Date(start + (many / 50 / 2) * 1000);

const singles: (() => DeliveryFilter)[] = [
  () => ({}),
  ...deliveryStatuses.map((status) => () => ({ status })),
  ...deliveryKinds.map((eventKind) => () => ({ eventKind })),
  () => ({ app: 'shop' }),
  () => ({ app: 'rare' }),
  () => ({ app: 'unknown' }),
  () => ({ endpointId: busy }),
  () => ({ endpointId: down }),
  () => ({ endpointId: rare }),
  () => ({ endpointId: newId() }),
  () => ({ runId: longRun }),
  () => ({ runId: newId() }),
  () => ({ sourceRunId: longRun }),
  () => ({ statuses: ['failed', 'exhausted', 'dead'] }),
  () => ({ statuses: ['pending', 'failed'] }),
  () => ({ statuses: ['delivering', 'pending'] }),
  () => ({ statuses: ['delivering', 'dead'] }),
  () => ({ since: middle() }),
  () => ({ until: middle() }),
];

const pairs: (() => DeliveryFilter)[] = [
  ...deliveryStatuses.flatMap((status) => [
    () => ({ status, endpointId: busy }),
    () => ({ status, endpointId: down }),
    () => ({ status, app: 'shop' }),
    () => ({ status, eventKind: 'run.cancelled' as const }),
    () => ({ status, until: middle() }),
    () => ({ status, endpointId: down, since: middle() }),
  ]),
  () => ({ endpointId: busy, since: middle() }),
  () => ({ endpointId: down, statuses: ['delivering', 'failed', 'exhausted', 'dead'] }),
  () => ({ app: 'rare', until: middle() }),
  () => ({ eventKind: 'run.failed', until: middle() }),
  () => ({ since: middle(), until: new Date(middle().getTime() + 60_000) }),
];

describe(`of ${many} deliveries`, () => {
  beforeAll(async () => {
    await insertMany();
  }, 1_800_000);

  describe.each([
    ['before', 'select'],
    ['after', 'analyze webhook_delivery, webhook_work'],
  ])('%s the statistics are made', (_when, prepare) => {
    beforeAll(async () => {
      await on.db.query(prepare);
    }, 600_000);

    it.each([1, 30, 200])(
      'a page of %i, of any filter, reads 60 pages for each status and 10 per row at most',
      async (limit) => {
        for (const filterOf of [...singles, ...pairs]) {
          const filter = filterOf();
          let after: string | undefined;
          for (const name of ['first', 'second']) {
            const { engine, pages } = counting();
            const page: Page<DeliveryRow> = await listDeliveries(engine, { projectId, filter, after, limit });
            // The list of those in flight begins with all of them.
            const isInFlight = [filter.status, ...(filter.statuses ?? [])].includes('delivering');
            const rows = page.rows.length + (isInFlight ? inFlight : 0);
            const perStatus = filter.statuses?.length ?? 1;
            expect(pages(), `${name} page of ${JSON.stringify(filter)}`).toBeLessThanOrEqual(
              60 * perStatus + 10 * rows,
            );
            const last = page.rows.at(-1);
            if (!page.hasNext || !last) break;
            after = page.cursorOf(last);
          }
        }
      },
      600_000,
    );
  });

  it("another project's endpoint and run are not read", async () => {
    const other = await createTestProject(on.engine);
    for (const filter of [{ endpointId: busy }, { runId: longRun }, { endpointId: busy, status: 'dead' as const }]) {
      const { engine, pages } = counting();
      const { rows } = await listDeliveries(engine, { projectId: other, filter, after: undefined, limit: 30 });
      expect(rows).toEqual([]);
      expect(pages()).toBeLessThan(40);
    }
  });
});
