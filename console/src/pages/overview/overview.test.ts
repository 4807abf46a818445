import { describe, expect, it } from 'vitest';
import { deploysOf, failingWorkflows, troublesOf } from './overview.ts';

describe('the overview', () => {
  it('marks deploys where a workflow runs another version for the first time', () => {
    const row = (workflow: string, version: string, first: string) => ({
      app: 'shop',
      workflow,
      version,
      first,
      byStatus: { failed: 0, succeeded: 1 },
    });
    const deploys = deploysOf({
      runStatsBy: [
        row('ship', 'v2', '2026-11-27T13:00:00Z'),
        row('ship', 'v1', '2026-11-27T12:00:00Z'),
        row('pack', 'v9', '2026-11-27T12:30:00Z'),
      ],
    });
    expect(deploys.map(({ label }) => label)).toEqual(['ship v2']);
  });

  it('ranks failing workflows by the failures of all versions, with the rate among ended runs', () => {
    const row = (workflow: string, version: string, failed: number, succeeded: number) => ({
      app: 'shop',
      workflow,
      version,
      first: '2026-11-27T13:00:00Z',
      byStatus: { failed, succeeded },
    });
    const rows = failingWorkflows({
      runStatsBy: [row('a', 'v1', 1, 9), row('b', 'v1', 0, 5), row('c', 'v1', 4, 2), row('c', 'v2', 2, 0)],
    });
    expect(rows.map(({ workflow, rate }) => [workflow, rate])).toEqual([
      ['c', 0.75],
      ['a', 0.1],
    ]);
  });

  it('names what needs a person, with the page that shows it', () => {
    const budget = { app: 'shop', workflow: 'draft', cost: 9, maxCost: 10, tokens: 0, maxTokens: null, paused: 0 };
    const holds = {
      flowState: { concurrency: { inUse: 0, limit: 0 }, budgets: [budget, { ...budget, cost: 1 }] },
      runners: [{ live: true }, { live: false }],
      approvalStats: { open: 2, isCapped: false },
    };
    const rest = {
      workflowPage: { nodes: [{ app: 'shop', name: 'nightly', schedules: [{ cron: '@daily', isStale: true }] }] },
      webhookEndpointStats: [{ endpointId: 'e', failed: 0, dead: 1, exhausted: 0, total: 4 }],
    };
    expect(troublesOf(holds, rest).map(({ label, to }) => `${label} → ${to.join('/')}`)).toEqual([
      '2 approvals open → approvals',
      'The budget of draft is nearly spent → flow',
      'A schedule of nightly is late → workflows/shop/nightly',
      '1 webhook endpoint with failures → webhooks/endpoints',
      '1 runner gone → runners',
    ]);
    expect(troublesOf(undefined, undefined)).toEqual([]);
  });
});
