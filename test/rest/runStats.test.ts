import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { query, secretKey } from '../schema/fixtures.ts';
import { noRuns } from './noRuns.ts';
import { type RestServer, startRest } from './restServer.ts';

let rest: RestServer;

beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest.close());

interface Given {
  status?: string;
  at?: string;
  /** From its first pass to its end; it waited ten seconds before. */
  tookMs?: number;
  app?: string;
  workflow?: string;
  tags?: Record<string, string>;
  replayOf?: string;
  parentRunId?: string;
}

/** A project with these runs, and a function that queries them. */
async function withRuns(runs: readonly Given[]) {
  const { projectId, secret } = await rest.stranger();
  const { prisma } = rest.engine.db;
  await prisma.run.createMany({
    data: runs.map(({ at = '2026-03-01T10:15:00Z', tookMs, ...run }) => {
      const createdAt = new Date(at);
      const startedAt = new Date(createdAt.getTime() + 10_000);
      const endedAt = tookMs === undefined ? null : new Date(startedAt.getTime() + tookMs);
      const status = run.status ?? (endedAt ? 'succeeded' : 'running');
      const fixed = { id: newId(), projectId, version: 'v', triggerKind: 'manual', input: {} };
      return { app: 'shop', workflow: 'order', ...run, ...fixed, status, createdAt, startedAt, endedAt };
    }),
  });
  const ask = (path: string, key = secret) => rest.call('GET', path, undefined, { key });
  return {
    projectId,
    secret,
    ask,
    stats: async (search = '') => (await ask(`/runs/stats${search}`)).body,
    series: async (search = '') => (await ask(`/runs/timeseries${search}`)).body,
  };
}

describe('GET /runs/stats', () => {
  it('counts no runs where there are none, and says nothing of their duration', async () => {
    const { stats } = await withRuns([]);
    expect(await stats()).toEqual({ total: 0, byStatus: noRuns });
  });

  it('counts runs by status, under all eight names, with median and 95th percentile over those that are finished', async () => {
    const { stats } = await withRuns([
      ...[100, 200, 300].map((tookMs) => ({ tookMs })),
      { status: 'failed', tookMs: 1_000 },
      { status: 'cancelled', tookMs: 400 },
      { status: 'needs_attention' },
      { status: 'running' },
    ]);
    const { p50Ms, p95Ms, ...counts } = await stats();
    const byStatus = { ...noRuns, succeeded: 3, failed: 1, cancelled: 1, needs_attention: 1, running: 1 };
    expect(counts).toEqual({ total: 7, byStatus });
    expect(p50Ms).toBe(300);
    expect(p95Ms).toBe(880);
  });

  it('interpolates percentiles between the two nearest runs, however many took as long', async () => {
    const tooks = Array.from({ length: 211 }, (_, n) => ((n * n * 7919) % 1_009) & ~3);
    const sorted = tooks.toSorted((one, other) => one - other);
    const percentile = (fraction: number): number => {
      const rank = fraction * (sorted.length - 1);
      const [low = 0, high = 0] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]];
      return low + (high - low) * (rank - Math.floor(rank));
    };
    const { series, stats } = await withRuns(
      tooks.map((tookMs, n) => ({ tookMs, status: n % 3 ? 'succeeded' : 'failed' })),
    );
    const expected = { total: 211, p50Ms: Math.round(percentile(0.5)), p95Ms: Math.round(percentile(0.95)) };
    expect(await stats()).toMatchObject(expected);
    const avgMs = Math.round(tooks.reduce((sum, each) => sum + each, 0) / tooks.length);
    expect(await series()).toMatchObject([{ ...expected, avgMs }]);
  });

  it.each([
    ['?app=shop', 5],
    ['?workflow=refund', 1],
    ['?since=2026-03-01T11:00:00Z', 2],
    ['?tag.tenant=a', 2],
    ['?tag.tenant=a&tag.tier=gold', 1],
    ['?app=shop&workflow=refund', 0],
    ['?parentRunId=nothing', 0],
    ['?replayOf=nothing', 0],
  ])('%s leaves %i', async (search, total) => {
    const { stats } = await withRuns([
      { tags: { tenant: 'a' } },
      { tags: { tenant: 'a', tier: 'gold' } },
      { tags: { tenant: 'b' }, at: '2026-03-01T11:00:00Z' },
      { at: '2026-03-01T12:00:00Z' },
      { at: '2026-03-01T10:59:59.999Z' },
      { app: 'desk', workflow: 'refund' },
    ]);
    expect(await stats(search)).toMatchObject({ total });
  });

  it('counts the forks of a run, and the children of a run', async () => {
    const [source, parent] = [newId(), newId()];
    const { stats } = await withRuns([{ replayOf: source }, { replayOf: source }, { parentRunId: parent }, {}]);
    expect(await stats(`?replayOf=${source}`)).toMatchObject({ total: 2 });
    expect(await stats(`?parentRunId=${parent}`)).toMatchObject({ total: 1 });
  });

  it('refuses a tag filter that breaks the limits, and shows no runs of other projects', async () => {
    const { ask } = await withRuns([{}]);
    expect(await ask('/runs/stats?tag.a%20b=1')).toMatchObject({ status: 400 });
    const other = await withRuns([{}, {}]);
    expect((await ask('/runs/stats', other.secret)).body).toMatchObject({ total: 2 });
  });
});

describe('GET /runs/timeseries', () => {
  it('buckets runs by the time at which they came, oldest first, and leaves empty buckets out', async () => {
    const { series } = await withRuns([
      { tookMs: 100, at: '2026-03-01T10:00:00Z' },
      { tookMs: 300, at: '2026-03-01T10:59:59.999Z', status: 'failed' },
      { at: '2026-03-01T13:00:00Z' },
    ]);
    expect(await series()).toEqual([
      {
        ...{ bucket: '2026-03-01T10:00:00.000Z', total: 2, byStatus: { ...noRuns, succeeded: 1, failed: 1 } },
        ...{ avgMs: 200, p50Ms: 200, p95Ms: 290 },
      },
      { bucket: '2026-03-01T13:00:00.000Z', total: 1, byStatus: { ...noRuns, running: 1 } },
    ]);
  });

  it('takes app, workflow, since and the width of a bucket; a status makes no difference', async () => {
    const { series } = await withRuns([
      { at: '2026-03-01T10:00:01Z' },
      { at: '2026-03-01T10:00:59Z' },
      { at: '2026-03-01T10:01:00Z', workflow: 'refund' },
      { at: '2026-03-01T10:01:30Z', app: 'desk' },
    ]);
    const totals = async (search: string) => (await series(search)).map(({ total }: { total: number }) => total);
    expect(await totals('?bucket=60')).toEqual([2, 2]);
    expect(await totals('?bucket=60&workflow=order')).toEqual([2, 1]);
    expect(await totals('?bucket=60&app=shop')).toEqual([2, 1]);
    expect(await totals('?bucket=60&since=2026-03-01T10:00:30Z')).toEqual([1, 2]);
    expect(await totals('?bucket=60&status=failed')).toEqual([2, 2]);
  });

  it.each(['0', '-1', '1.5', 'hour', '2147483648'])('refuses a bucket of %s, naming it', async (bucket) => {
    const { ask } = await withRuns([]);
    const answer = await ask(`/runs/timeseries?bucket=${bucket}`);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('bucket') } });
  });

  it('keeps the latest buckets, up to 5000 statuses of buckets', async () => {
    const { projectId, series } = await withRuns([]);
    // Two statuses in each of 3000 minutes.
    await rest.engine.db.query({
      text: `
        insert into run (id, project_id, app, workflow, version, status, trigger_kind, input, created_at, ended_at)
        select gen_random_uuid(), $1, 'shop', 'order', 'v', status, 'manual', '{}', at, case status when 'failed' then at end
        from generate_series(timestamptz '2026-03-01 00:00Z', '2026-03-03 01:59Z', '1 minute') at,
          unnest(array['queued', 'failed']) status`,
      values: [projectId],
    });
    const buckets = await series('?bucket=60');
    expect(buckets).toHaveLength(2500);
    expect(buckets.at(-1).bucket).toBe('2026-03-03T01:59:00.000Z');
    expect(buckets[0].bucket).toBe('2026-03-01T08:20:00.000Z');
  });
});

it('GraphQL says the same under its own names', async () => {
  const { projectId } = await withRuns([{ tookMs: 100 }, { status: 'needs_attention' }]);
  const document = `{
    runStats(filter: { status: NEEDS_ATTENTION }) { total p50Ms byStatus { needsAttention } }
    runTimeseries(bucket: 86400) { bucket total avgMs }
  }`;
  expect(await query(rest.engine, secretKey(projectId), document)).toEqual({
    runStats: { total: 1, p50Ms: null, byStatus: { needsAttention: 1 } },
    runTimeseries: [{ bucket: '2026-03-01T00:00:00.000Z', total: 2, avgMs: 100 }],
  });
});
