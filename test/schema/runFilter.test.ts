import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { withObservedReads } from '../support/observedReads.ts';
import { insertRun, insertWorkflows, query, secretKey } from './fixtures.ts';

const test = useEngine();
let projectId: string;
const ids: Record<string, string> = {};
const at = (minute: number): Date => new Date(Date.parse('2026-01-01T00:00:00Z') + minute * 60_000);
const failure = (message: string): string => JSON.stringify({ name: 'PaymentError', message, stack: `at ${newId()}` });

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  await insertWorkflows(
    test.engine,
    projectId,
    ['order', 'ship'].map((name) => ({ app: 'shop', name })),
  );
  const add = async (name: string, run: Parameters<typeof insertRun>[2]): Promise<void> => {
    ids[name] = await insertRun(test.engine, projectId, run);
  };
  await add('failedFirst', {
    status: 'failed',
    createdAt: at(1),
    endedAt: at(20),
    error: failure('card 4711 refused'),
  });
  await add('failedLast', { status: 'failed', createdAt: at(2), endedAt: at(3), error: failure('card 17 refused') });
  await add('failedElse', { status: 'failed', createdAt: at(3), error: failure('no answer'), workflow: 'ship' });
  await add('succeeded', { status: 'succeeded', createdAt: at(4), replayOf: ids['failedLast'] ?? null });
  await add('child', { status: 'cancelled', createdAt: at(5), parentRunId: ids['succeeded'] ?? null });
  await add('queued', { status: 'queued', createdAt: at(6) });
  await add('waiting', { status: 'waiting', createdAt: at(7) });
});

const list =
  'query ($filter: RunFilter, $sort: RunSort) { runs(first: 200, filter: $filter, sort: $sort) { nodes { id } } }';

/** The names of the runs that a filter selects, newest first. */
async function selected(filter: object, sort?: string, project = projectId): Promise<string[]> {
  const found = (await query(test.engine, secretKey(project), list, { filter, sort })) as {
    runs: { nodes: { id: string }[] };
  };
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  return found.runs.nodes.map(({ id }) => names.get(id) ?? id);
}

const groups = `query ($filter: RunFilter, $limit: Int) {
  failureGroups(filter: $filter, limit: $limit) {
    examined isCapped groups { errorGroup count workflows first last error { name message } sample { id } }
  }
}`;

interface Group {
  errorGroup: string;
  count: number;
}

async function groupsOf(variables: object = {}, project = projectId): Promise<Record<string, unknown>> {
  const found = await query(test.engine, secretKey(project), groups, variables as never);
  return found['failureGroups'] as Record<string, unknown>;
}

describe('the filter of runs', () => {
  it.each<[string, object, string[]]>([
    ['several statuses', { statuses: ['QUEUED', 'CANCELLED'] }, ['queued', 'child']],
    ['an empty list of statuses', { statuses: [], app: 'shop', rootOnly: true, since: at(6) }, ['waiting', 'queued']],
    ['an alias and statuses at once', { status: 'ACTIVE', statuses: ['QUEUED', 'FAILED'] }, ['queued']],
    ['statuses that exclude each other', { status: 'FAILED', statuses: ['QUEUED'] }, []],
    ['an end of the time', { until: at(3) }, ['failedLast', 'failedFirst']],
    ['the time of the end', { endedSince: at(20) }, ['failedFirst']],
    ['runs without a parent', { rootOnly: true, since: at(4) }, ['waiting', 'queued', 'succeeded']],
    ['no root needed', { rootOnly: false, since: at(5), until: at(6) }, ['child']],
    ['runs that were replayed', { isReplayed: true }, ['failedLast']],
    ['failed runs that were not replayed', { isReplayed: false, status: 'FAILED' }, ['failedElse', 'failedFirst']],
    ['another version', { version: 'v2' }, []],
    ['a group that no run is of', { errorGroup: '0'.repeat(32) }, []],
    ['a text that is no group', { errorGroup: 'x' }, []],
    ['a bulk call that is none', { bulkId: newId() }, []],
    ['a text that is no id of a bulk call', { bulkId: 'x' }, []],
  ])('takes %s', async (_what, filter, expected) => {
    expect(await selected(filter)).toEqual(expected);
  });

  it('takes several statuses in each order', async () => {
    for (const sort of ['STARTED', 'DURATION', 'WORKFLOW', 'APP', 'STATUS']) {
      const found = await selected({ statuses: ['SUCCEEDED', 'WAITING'] }, sort);
      expect(found.sort()).toEqual(['succeeded', 'waiting']);
    }
  });

  it('takes the scope of a concurrency policy, with and without a key', async () => {
    expect(await selected({ scope: { app: 'shop', workflow: 'order' } })).toEqual([]);
    expect(await selected({ scope: { app: 'shop', workflow: 'order', key: 'c1' } })).toEqual([]);
  });
});

describe('failure groups', () => {
  it('join errors that differ in numbers only, the most frequent first', async () => {
    expect(await groupsOf()).toEqual({
      examined: 3,
      isCapped: false,
      groups: [
        {
          errorGroup: expect.stringMatching(/^[0-9a-f]{32}$/),
          count: 2,
          workflows: 1,
          first: at(3).toISOString(),
          last: at(20).toISOString(),
          error: { name: 'PaymentError', message: 'card 4711 refused' },
          sample: { id: ids['failedFirst'] },
        },
        expect.objectContaining({ count: 1, error: { name: 'PaymentError', message: 'no answer' } }),
      ],
    });
  });

  it('select their runs as a filter', async () => {
    const { groups: found } = (await groupsOf({ limit: 1 })) as { groups: Group[] };
    expect(found).toHaveLength(1);
    expect(await selected({ errorGroup: found[0]?.errorGroup })).toEqual(['failedLast', 'failedFirst']);
  });

  it('are those of the filtered runs', async () => {
    expect(await groupsOf({ filter: { workflow: 'ship' } })).toMatchObject({ examined: 1, groups: [{ count: 1 }] });
    expect(await groupsOf({ filter: { status: 'SUCCEEDED' } })).toEqual({ examined: 0, isCapped: false, groups: [] });
  });

  it('of another project are not told', async () => {
    const other = await createTestProject(test.engine);
    expect(await groupsOf({}, other)).toEqual({ examined: 0, isCapped: false, groups: [] });
    const { groups: found } = (await groupsOf()) as { groups: Group[] };
    expect(await selected({ errorGroup: found[0]?.errorGroup }, undefined, other)).toEqual([]);
  });
});

describe('statistics', () => {
  const by = `query ($by: RunGrouping!, $filter: RunFilter) {
    runStatsBy(by: $by, filter: $filter) { app workflow version total byStatus { failed } first last }
  }`;

  it.each([
    ['APP', [{ app: 'shop', workflow: null, version: null, total: 7, byStatus: { failed: 3 } }]],
    [
      'WORKFLOW',
      [
        { app: 'shop', workflow: 'order', version: null, total: 6, byStatus: { failed: 2 } },
        { app: 'shop', workflow: 'ship', version: null, total: 1, byStatus: { failed: 1 } },
      ],
    ],
    [
      'VERSION',
      [
        { workflow: 'order', version: 'v1', total: 6 },
        { workflow: 'ship', version: 'v1' },
      ],
    ],
  ])('come in groups by %s', async (grouping, expected) => {
    const { runStatsBy } = await query(test.engine, secretKey(projectId), by, { by: grouping });
    expect(runStatsBy).toMatchObject(expected);
  });

  it('tell the first and the last run of a group', async () => {
    const { runStatsBy } = await query(test.engine, secretKey(projectId), by, { by: 'APP' });
    expect(runStatsBy).toMatchObject([{ first: at(1).toISOString(), last: at(7).toISOString() }]);
  });

  it('sort no durations for a document that asks for none', async () => {
    const texts: string[] = [];
    const engine = withObservedReads(test.engine, async (_tx, read, { text }) => {
      texts.push(text);
      await read();
    });
    const key = secretKey(projectId);
    await query(engine, key, by, { by: 'APP' });
    await query(engine, key, '{ runStats { total } runTimeseries { bucket total } }');
    expect(texts.map((text) => text.includes('percentile_cont'))).toEqual([false, false, false]);
    const asked = await query(engine, key, '{ runStatsBy(by: APP) { p95Ms } runStats { p95Ms } }');
    expect(asked).toEqual({ runStatsBy: [{ p95Ms: 924_000 }], runStats: { p95Ms: 924_000 } });
  });

  it('come in buckets by the end of runs, filtered as a list', async () => {
    const document = `query ($filter: RunFilter, $until: DateTime, $by: TimeseriesInstant) {
      runTimeseries(filter: $filter, until: $until, by: $by, bucket: 60) { bucket total }
    }`;
    const ask = async (variables: object) =>
      (await query(test.engine, secretKey(projectId), document, variables as never))['runTimeseries'];
    expect(await ask({ by: 'ENDED', filter: { workflow: 'order', status: 'FAILED' } })).toEqual([
      { bucket: at(3).toISOString(), total: 1 },
      { bucket: at(20).toISOString(), total: 1 },
    ]);
    expect(await ask({ until: at(2), filter: {} })).toEqual([{ bucket: at(1).toISOString(), total: 1 }]);
    expect(await ask({ filter: { since: at(7) } })).toEqual([{ bucket: at(7).toISOString(), total: 1 }]);
  });
});
