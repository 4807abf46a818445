import { beforeAll, describe, expect, it, test } from 'vitest';
import { newId } from '../../../src/engine/ids.ts';
import { listSourceDeliveries, sourceDeliveryStatuses } from '../../../src/engine/webhooks/inbound/index.ts';
import { useEngine } from '../../support/engine.ts';
import { withObservedReads } from '../../support/observedReads.ts';

const scene = useEngine();
const projectId = newId();
const sources = [newId(), newId(), newId()];
const [busy = '', quiet = '', rare = ''] = sources;
const many = 20_000;

// Of the project nearly all messages are of one source and ingested; another project has as many.
beforeAll(async () => {
  const { db } = scene;
  const insert = `insert into webhook_source_delivery (id, project_id, source_id, status, request_headers, created_at)
    select uuidv7(), p, s, st, '{}', now() - n * interval '1 ms' from`;
  await db.query({
    text: `${insert} (select n, $1::uuid as p, $2::uuid as s, 'ingested' as st from generate_series(1, $4::int) n
      union all select n, $3::uuid, $3::uuid, 'ingested' from generate_series(1, $4::int) n) rows`,
    values: [projectId, busy, newId(), many],
  });
  await db.query({
    text: `${insert} (select n * 17 as n, $1::uuid as p, $2::uuid as s, (array['unauthorized', 'invalid'])[1 + n % 2] as st
      from generate_series(1, 100) n union all select $4::int, $1, $3::uuid, 'deduped') rows`,
    values: [projectId, quiet, rare, many],
  });
  await db.query('analyze webhook_source_delivery');
});

/** Blocks of the table and its indexes that a page reads. */
async function pageOf(query: object, limit: number) {
  let blocks = 0;
  const engine = withObservedReads(scene.engine, async (tx, read) => {
    const fetched = async (): Promise<number> => {
      const { rows } = await tx.query<{ blocks: number }>(`
        select sum(pg_stat_get_xact_blocks_fetched(oid))::int as blocks from pg_class
        where relname like 'webhook_source_delivery%'`);
      return rows[0]?.blocks ?? 0;
    };
    const before = await fetched();
    await read();
    blocks = (await fetched()) - before;
  });
  const question = { projectId, source: undefined, status: undefined, after: undefined, limit, ...query };
  const page = await listSourceDeliveries(engine, question);
  if (page.rows.length > 0) expect(blocks).toBeGreaterThan(0);
  return { page, blocks };
}

describe('a page of the messages of sources', () => {
  const filters = [
    {},
    ...[busy, quiet, rare].map((source) => ({ source })),
    ...sourceDeliveryStatuses.map((status) => ({ status })),
    { source: busy, status: 'ingested' },
    { source: busy, status: 'deduped' },
    { source: rare, status: 'deduped' },
  ];

  it.each(filters)('reads few blocks, however many messages there are: %o', async (filter) => {
    for (const limit of [30, 200]) {
      const { blocks } = await pageOf(filter, limit);
      expect(blocks, `${limit} rows`).toBeLessThanOrEqual(60 + 10 * limit);
      const { page } = await pageOf(filter, limit);
      const last = page.rows.at(-1);
      if (!last || !page.hasNext) continue;
      const next = await pageOf({ ...filter, after: page.cursorOf(last) }, limit);
      expect(next.blocks, `after ${limit} rows`).toBeLessThanOrEqual(60 + 10 * limit);
    }
  });
});

test('pages are newest first over all statuses, and repeat and skip no message', async () => {
  const seen: { id: string; createdAt: Date; status: string }[] = [];
  let after: string | undefined;
  do {
    const { page } = await pageOf({ source: quiet, after }, 7);
    seen.push(...page.rows);
    const last = page.rows.at(-1);
    after = last && page.hasNext ? page.cursorOf(last) : undefined;
  } while (after !== undefined);
  expect(seen).toHaveLength(100);
  expect(new Set(seen.map(({ id }) => id)).size).toBe(100);
  expect(seen.map(({ createdAt }) => createdAt.getTime())).toEqual(
    seen.map(({ createdAt }) => createdAt.getTime()).sort((a, b) => b - a),
  );
  expect(new Set(seen.map(({ status }) => status))).toEqual(new Set(['unauthorized', 'invalid']));
});

test('a source that does not exist, or is none, has no messages; a foreign cursor is refused', async () => {
  for (const source of [newId(), 'none']) expect((await pageOf({ source }, 10)).page.rows).toEqual([]);
  await expect(pageOf({ after: 'x' }, 10)).rejects.toMatchObject({ kind: 'invalid' });
});
