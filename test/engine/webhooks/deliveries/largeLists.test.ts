import { beforeAll, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../../../src/engine/context.ts';
import type { Database } from '../../../../src/engine/db/index.ts';
import { newId } from '../../../../src/engine/ids.ts';
import {
  type DeliveryFilter,
  deliveryKinds,
  deliveryStatuses,
  listDeliveries,
} from '../../../../src/engine/webhooks/deliveries/index.ts';
import { createTestProject, useEngine } from '../../../support/engine.ts';
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

/** An engine that counts the pages of the database that its lists read. */
function counting(): { engine: EngineContext; pages: () => number } {
  let pages = 0;
  const transaction: Database['transaction'] = (work) =>
    on.db.transaction(async (tx) => {
      const query = (async (sent: string | { text: string; values: unknown[] }) => {
        if (typeof sent === 'object') {
          const explained = { text: `explain (analyze, buffers, format json) ${sent.text}`, values: sent.values };
          const { rows } = await tx.query<{ 'QUERY PLAN': string | [{ Plan: Record<string, number> }] }>(explained);
          const told = rows[0]?.['QUERY PLAN'] ?? '[]';
          const [{ Plan: plan }] = typeof told === 'string' ? JSON.parse(told) : told;
          pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
          if (process.env['SHOW_PLANS'])
            console.log(
              JSON.stringify(
                plan,
                ['Node Type', 'Index Name', 'Plans', 'Actual Rows', 'Shared Hit Blocks', 'Actual Loops'],
                1,
              ),
            );
        }
        return tx.query(sent as never);
      }) as typeof tx.query;
      return work({ ...tx, query, afterCommit: (effect) => tx.afterCommit(effect) });
    });
  return { engine: { ...on.engine, db: { ...on.engine.db, transaction } }, pages: () => pages };
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
  () => ({ app: 'rare', until: middle() }),
  () => ({ eventKind: 'run.failed', until: middle() }),
  () => ({ since: middle(), until: new Date(middle().getTime() + 60_000) }),
];

const worst: [string, number, number][] = [];

describe(`of ${many} deliveries`, () => {
  beforeAll(async () => {
    await insertMany();
  }, 1_800_000);

  describe.each([
    ['before', async () => undefined],
    ['after', async () => void (await on.db.query('analyze webhook_delivery, webhook_work'))],
  ] as const)('%s the statistics are made', (_when, prepare) => {
    beforeAll(async () => void (await prepare()), 600_000);

    it.each([1, 30, 200])(
      'a page of %i, of any filter, reads 60 pages and 10 per row at most',
      async (limit) => {
        for (const filterOf of [...singles, ...pairs]) {
          const filter = filterOf();
          const { engine, pages } = counting();
          const { rows, hasNext, cursorOf } = await listDeliveries(engine, {
            projectId,
            filter,
            after: undefined,
            limit,
          });
          worst.push([JSON.stringify(filter), rows.length, pages()]);
          // The list of those in flight begins with the leases.
          const read = filter.status === 'delivering' ? inFlight : rows.length;
          expect(pages(), `${JSON.stringify(filter)}: ${rows.length} rows`).toBeLessThanOrEqual(60 + 10 * read);
          const last = rows.at(-1);
          if (!hasNext || !last) continue;
          const next = counting();
          const second = await listDeliveries(next.engine, { projectId, filter, after: cursorOf(last), limit });
          expect(next.pages(), `${JSON.stringify(filter)}, second page`).toBeLessThanOrEqual(
            60 + 10 * Math.max(second.rows.length, read),
          );
        }
        if (process.env['SHOW_PAGES'])
          console.log(
            worst
              .splice(0)
              .map((each) => each.join(' '))
              .join('\n'),
          );
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
