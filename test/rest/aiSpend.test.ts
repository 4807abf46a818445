import type { AiUsage } from '@holdfast/sdk/protocol';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { spendRowLimits } from '../../src/engine/ai/index.ts';
import { newId } from '../../src/engine/ids.ts';
import { query, secretKey } from '../schema/fixtures.ts';
import { type RestServer, startRest } from './restServer.ts';

let rest: RestServer;

beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest.close());

interface Call extends AiUsage {
  unknown?: boolean;
  app?: string;
  workflow?: string;
  at?: string;
}

/** A project with these calls, and a function that queries their spend. */
async function spent(calls: readonly Call[]) {
  const { projectId, secret } = await rest.stranger();
  for (const { app = 'shop', workflow = 'triage', at = '2026-03-01T10:15:00Z', ...usage } of calls) {
    const { model, tokensIn, tokensOut, cost, latencyMs, cacheHit, unknown = false } = usage;
    await rest.engine.db.query({
      text: `insert into ai_usage (run_id, step_index, attempt, project_id, app, workflow, model, tokens_in, tokens_out, cost,
               latency_ms, cache_hit, unknown, created_at) values ($1, 0, 1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      values: [newId(), projectId, app, workflow, model, tokensIn, tokensOut, cost, latencyMs, cacheHit, unknown, at],
    });
  }
  const ask = async (search = '', key = secret) =>
    (await rest.call('GET', `/ai/spend${search}`, undefined, { key })).body;
  return { projectId, secret, ask };
}

const none = { calls: 0, tokensIn: 0, tokensOut: 0, tokens: 0, cacheHits: 0, cacheEligible: 0, unknown: 0 };

describe('GET /ai/spend', () => {
  it('has totals of nothing where no call was made', async () => {
    const { ask } = await spent([]);
    expect(await ask()).toEqual({ totals: none, byHour: [], byModel: [], byWorkflow: [] });
  });

  it('adds calls up in all, by hour, by model and by workflow', async () => {
    const { ask } = await spent([
      { model: 'a', tokensIn: 10, tokensOut: 5, cost: 0.1, latencyMs: 100, cacheHit: false },
      { model: 'a', tokensIn: 20, cost: 0.2, latencyMs: 200.7, cacheHit: true, at: '2026-03-01T10:59:59Z' },
      { model: 'b', tokensOut: 100, at: '2026-03-01T11:00:00Z', workflow: 'reply' },
    ]);
    const first = {
      ...none,
      calls: 2,
      tokensIn: 30,
      tokensOut: 5,
      tokens: 35,
      cost: 0.3,
      cacheHits: 1,
      cacheEligible: 2,
    };
    const second = { ...none, calls: 1, tokensOut: 100, tokens: 100 };
    expect(await ask()).toEqual({
      totals: { ...first, calls: 3, tokensOut: 105, tokens: 135, avgLatencyMs: 150 },
      byHour: [
        { bucket: '2026-03-01T10:00:00.000Z', ...first },
        { bucket: '2026-03-01T11:00:00.000Z', ...second },
      ],
      byModel: [
        { model: 'b', ...second },
        { model: 'a', ...first, avgLatencyMs: 150 },
      ],
      byWorkflow: [
        { app: 'shop', workflow: 'reply', ...second },
        { app: 'shop', workflow: 'triage', ...first },
      ],
    });
  });

  it('counts the sends that ended unknown in every row', async () => {
    const { ask } = await spent([
      { model: 'a', tokensIn: 7, unknown: true },
      { model: 'a', unknown: true },
      { model: 'b' },
    ]);
    const { totals, byHour, byModel, byWorkflow } = await ask();
    expect(totals).toMatchObject({ calls: 3, unknown: 2 });
    expect(byHour).toMatchObject([{ unknown: 2 }]);
    expect(byModel).toMatchObject([
      { model: 'a', unknown: 2 },
      { model: 'b', unknown: 0 },
    ]);
    expect(byWorkflow).toMatchObject([{ unknown: 2 }]);
  });

  it('omits figures that no call reported, and keeps a cost of zero', async () => {
    const { ask } = await spent([{}, { model: 'free', cost: 0 }]);
    const { totals, byModel } = await ask();
    expect(totals).toEqual({ ...none, calls: 2, cost: 0 });
    expect(byModel).toEqual([
      { model: 'free', ...none, calls: 1, cost: 0 },
      { ...none, calls: 1 },
    ]);
  });

  it('adds prices up as decimals, and counts beyond 32 bits', async () => {
    const { ask } = await spent(Array.from({ length: 10 }, () => ({ cost: 0.1, tokensIn: 3_000_000_000 })));
    expect((await ask()).totals).toMatchObject({ cost: 1, tokens: 30_000_000_000 });
  });

  it('can be limited to an app, a workflow and a start time, in buckets of the requested width', async () => {
    const { ask } = await spent([
      { tokensIn: 1, at: '2026-03-01T10:00:00Z' },
      { tokensIn: 2, at: '2026-03-01T10:00:59Z', app: 'desk' },
      { tokensIn: 4, at: '2026-03-01T10:01:00Z', workflow: 'reply' },
    ]);
    const tokens = async (search: string) => (await ask(search)).totals.tokens;
    expect(await tokens('?app=shop')).toBe(5);
    expect(await tokens('?app=desk&workflow=triage')).toBe(2);
    expect(await tokens('?workflow=reply')).toBe(4);
    expect(await tokens('?app=nobody')).toBe(0);
    expect(await tokens('?since=2026-03-01T10:00:59Z')).toBe(6);
    expect(await tokens('?since=2026-03-01T12:00:59%2B02:00')).toBe(6);
    const buckets = async (width: number) =>
      (await ask(`?bucket=${width}`)).byHour.map((row: { bucket: string; tokens: number }) => [row.bucket, row.tokens]);
    expect(await buckets(60)).toEqual([
      ['2026-03-01T10:00:00.000Z', 3],
      ['2026-03-01T10:01:00.000Z', 4],
    ]);
    expect(await buckets(1)).toHaveLength(3);
    expect(await buckets(86_400)).toEqual([['2026-03-01T00:00:00.000Z', 7]]);
    expect(await buckets(2_147_483_647)).toHaveLength(1);
  });

  test.each([
    ['bucket=0', 'bucket must be an integer of seconds from 1 to 2147483647'],
    ['bucket=-1', 'bucket must be an integer of seconds from 1 to 2147483647'],
    ['bucket=1.5', 'bucket must be an integer of seconds from 1 to 2147483647'],
    ['bucket=hour', 'bucket must be an integer of seconds from 1 to 2147483647'],
    ['bucket=', 'bucket must be an integer of seconds from 1 to 2147483647'],
    ['bucket=2147483648', 'bucket must be an integer of seconds from 1 to 2147483647'],
    ['since=yesterday', 'since must be an RFC 3339 timestamp, such as 2026-01-31T08:00:00Z'],
  ])('answers 400 to ?%s', async (search, error) => {
    expect(await rest.call('GET', `/ai/spend?${search}`)).toMatchObject({ status: 400, body: { error } });
  });

  it('is answered to a public key, and shows nothing of another project', async () => {
    const theirs = await spent([{ tokensIn: 5 }]);
    const own = await rest.call('GET', '/ai/spend', undefined, { key: rest.keys.public });
    expect(own).toMatchObject({ status: 200, body: { totals: none, byWorkflow: [] } });
    expect((await theirs.ask()).totals.tokens).toBe(5);
  });

  it('keeps the latest buckets and the largest models of a long history', async () => {
    const { projectId, ask } = await spent([]);
    const buckets = spendRowLimits.buckets + 10;
    await rest.engine.db.query({
      text: `insert into ai_usage (run_id, step_index, attempt, project_id, app, workflow, model, tokens_in, created_at)
        select gen_random_uuid(), 0, 1, $1, 'shop', 'w' || n % 1200, 'm' || n % 1100, n, timestamptz '2026-01-01Z' + n * interval '1 h'
        from generate_series(1, $2::int) n`,
      values: [projectId, buckets],
    });
    const { totals, byHour, byModel, byWorkflow } = await ask();
    expect(totals.calls).toBe(buckets);
    expect(byHour).toHaveLength(spendRowLimits.buckets);
    expect(byHour[0].tokens).toBe(11);
    expect(byHour.at(-1).tokens).toBe(buckets);
    expect(byModel).toHaveLength(spendRowLimits.models);
    expect(byWorkflow).toHaveLength(spendRowLimits.workflows);
    const tokens = byModel.map((row: { tokens: number }) => row.tokens);
    expect(tokens).toEqual([...tokens].sort((a, b) => b - a));
  });
});

describe('aiSpend of GraphQL', () => {
  it('answers the same, with null for what is not known', async () => {
    const { projectId } = await spent([{ tokensIn: 5 }]);
    const document = `query ($bucket: Int) {
      aiSpend(app: "shop", bucket: $bucket) {
        totals { tokens cost avgLatencyMs } byHour { bucket tokens } byModel { model tokens } byWorkflow { app workflow tokens }
      }
    }`;
    expect(await query(rest.engine, secretKey(projectId), document)).toEqual({
      aiSpend: {
        totals: { tokens: 5, cost: null, avgLatencyMs: null },
        byHour: [{ bucket: '2026-03-01T10:00:00.000Z', tokens: 5 }],
        byModel: [{ model: null, tokens: 5 }],
        byWorkflow: [{ app: 'shop', workflow: 'triage', tokens: 5 }],
      },
    });
    for (const bucket of [0, -5])
      await expect(query(rest.engine, secretKey(projectId), document, { bucket })).rejects.toThrow(
        'bucket must be an integer of seconds',
      );
  });
});
