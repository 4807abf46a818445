import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import type { RunSort, SortDirection } from '../../src/engine/runs/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { insertRun, insertWorkflows, query, secretKey } from './fixtures.ts';

const test = useEngine();
let projectId: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
});

const minute = 60_000;
const start = Date.parse('2026-01-01T00:00:00Z');

interface Listed {
  id: string;
  workflow: string;
  app: string;
  status: string;
  durationMs: number | null;
}

const document = `query ($first: Int, $after: String, $filter: RunFilter, $sort: RunSort, $dir: SortDirection) {
  runs(first: $first, after: $after, filter: $filter, sort: $sort, dir: $dir) {
    nodes { id workflow app status durationMs }
    pageInfo { hasNextPage endCursor hasPreviousPage }
  }
}`;

async function page(variables: Record<string, unknown>, project = projectId) {
  const { runs } = (await query(test.engine, secretKey(project), document, variables)) as {
    runs: { nodes: Listed[]; pageInfo: { hasNextPage: boolean; endCursor: string; hasPreviousPage: boolean } };
  };
  return runs;
}

async function pages(variables: Record<string, unknown>, project = projectId): Promise<Listed[]> {
  const all: Listed[] = [];
  let after: string | undefined;
  do {
    const { nodes, pageInfo } = await page({ ...variables, after }, project);
    all.push(...nodes);
    after = pageInfo.hasNextPage ? pageInfo.endCursor : undefined;
  } while (after !== undefined);
  return all;
}

describe('runs: order and pages', () => {
  let project: string;
  const runs: { id: string; workflow: string; app: string; status: string; durationMs: number | null; at: number }[] =
    [];

  beforeAll(async () => {
    project = await createTestProject(test.engine);
    const names = ['alpha', 'beta', 'gamma'].flatMap((name) => ['one', 'two'].map((app) => ({ app, name })));
    await insertWorkflows(test.engine, project, names);
    const statuses = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled', 'paused'] as const;
    for (let n = 0; n < 60; n++) {
      const { app, name: workflow } = names[n % names.length] ?? { app: 'one', name: 'alpha' };
      const status = statuses[(n * 5) % statuses.length] ?? 'queued';
      // Several runs of one instant, so that ties are met.
      const at = start + Math.floor(n / 4) * minute;
      const isOver = ['succeeded', 'failed', 'cancelled'].includes(status);
      const durationMs = isOver ? (n % 3) * 1000 : null;
      const id = await insertRun(test.engine, project, {
        app,
        workflow,
        status,
        createdAt: new Date(at),
        startedAt: new Date(at + 50),
        endedAt: durationMs === null ? null : new Date(at + 50 + durationMs),
      });
      runs.push({ id, app, workflow, status: status.toUpperCase(), durationMs, at });
    }
  });

  const sign = { asc: 1, desc: -1 } as const;
  const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);

  function expected(sort: RunSort, dir: SortDirection): string[] {
    const byStart = (a: (typeof runs)[number], b: (typeof runs)[number]) =>
      sign[dir] * (compare(a.at, b.at) || compare(a.id, b.id));
    const byKey = (a: (typeof runs)[number], b: (typeof runs)[number]): number => {
      if (sort === 'started') return byStart(a, b);
      if (sort !== 'duration')
        return sign[dir] * compare(a[sort].toLowerCase(), b[sort].toLowerCase()) || byStart(a, b);
      if (a.durationMs === null && b.durationMs === null) return byStart(a, b);
      if (a.durationMs === null) return 1;
      if (b.durationMs === null) return -1;
      return sign[dir] * (compare(a.durationMs, b.durationMs) || compare(a.id, b.id));
    };
    return [...runs].sort(byKey).map((each) => each.id);
  }

  for (const sort of ['started', 'workflow', 'status', 'app', 'duration'] as const) {
    for (const dir of ['asc', 'desc'] as const) {
      for (const first of [1, 7, 60]) {
        it(`sort ${sort} ${dir}: pages of ${first} join to the whole list, each run once`, async () => {
          const listed = await pages({ sort: sort.toUpperCase(), dir: dir.toUpperCase(), first }, project);
          expect(listed.map((each) => each.id)).toEqual(expected(sort, dir));
        });
      }
    }
  }

  it('lists newest first and 30 unless asked otherwise, and at most 200', async () => {
    const listed = await page({}, project);
    expect(listed.nodes.map((each) => each.id)).toEqual(expected('started', 'desc').slice(0, 30));
    expect(listed.pageInfo.hasNextPage).toBe(true);
    expect((await page({ first: 5000 }, project)).nodes).toHaveLength(60);
  });

  it('finds the active runs in the order of the list, page by page', async () => {
    const active = runs.filter((each) => ['QUEUED', 'RUNNING', 'WAITING'].includes(each.status)).map((each) => each.id);
    for (const dir of ['asc', 'desc'] as const) {
      const listed = await pages({ filter: { status: 'ACTIVE' }, dir: dir.toUpperCase(), first: 4 }, project);
      expect(listed.map((each) => each.id)).toEqual(expected('started', dir).filter((id) => active.includes(id)));
    }
  });

  it('a filter holds in every order', async () => {
    for (const sort of ['STARTED', 'WORKFLOW', 'STATUS', 'APP', 'DURATION']) {
      const listed = await pages({ filter: { app: 'one', workflow: 'beta' }, sort, first: 3 }, project);
      expect(new Set(listed.map((each) => each.id))).toEqual(
        new Set(runs.filter((each) => each.app === 'one' && each.workflow === 'beta').map((each) => each.id)),
      );
    }
  });

  it('a run that comes between two pages shifts nothing', async () => {
    const first = await page({ first: 10 }, project);
    const late = await insertRun(test.engine, project, {
      workflow: 'alpha',
      app: 'one',
      createdAt: new Date(start + 100 * minute),
    });
    const second = await page({ first: 10, after: first.pageInfo.endCursor }, project);
    expect([...first.nodes, ...second.nodes].map((each) => each.id)).toEqual(expected('started', 'desc').slice(0, 20));
    await test.db.query({ text: 'delete from run where id = $1', values: [late] });
  });

  it('a cursor is refused with another sort or dir, when it is mangled, and when another list issued it', async () => {
    const { pageInfo } = await page({ first: 2, sort: 'WORKFLOW', dir: 'ASC' }, project);
    const { endCursor } = pageInfo;
    const mangled = [endCursor.slice(1), `${endCursor}x`, '', 'null', `${endCursor.slice(0, 5)}A${endCursor.slice(6)}`];
    await expect(page({ after: endCursor, sort: 'WORKFLOW', dir: 'DESC' }, project)).rejects.toThrow(/cursor/);
    await expect(page({ after: endCursor, sort: 'APP', dir: 'ASC' }, project)).rejects.toThrow(/cursor/);
    for (const after of mangled.filter((each) => each !== endCursor)) {
      await expect(page({ after, sort: 'WORKFLOW', dir: 'ASC' }, project)).rejects.toThrow(/cursor/);
    }
  });

  it.each([0, -1])('first: %i is refused', async (first) => {
    await expect(page({ first }, project)).rejects.toThrow('first must be an integer of at least 1');
  });
});

describe('runs: filters', () => {
  const found = async (filter: Record<string, unknown>): Promise<string[]> =>
    (await pages({ filter })).map((each) => each.id).sort();

  it('by event, source run, parent and session, by exact value', async () => {
    const [eventId, source] = [newId(), newId()];
    const byEvent = await insertRun(test.engine, projectId, { eventId });
    const replay = await insertRun(test.engine, projectId, { replayOf: source });
    const child = await insertRun(test.engine, projectId, { parentRunId: source });
    const inSession = await insertRun(test.engine, projectId, { session: 'chat 1' });
    expect(await found({ eventId })).toEqual([byEvent]);
    expect(await found({ replayOf: source })).toEqual([replay]);
    expect(await found({ parentRunId: source })).toEqual([child]);
    expect(await found({ session: 'chat 1' })).toEqual([inSession]);
  });

  it('an id that is no UUID, and text that no column can hold, match nothing', async () => {
    for (const field of ['eventId', 'dedupeId', 'replayOf', 'parentRunId', 'session', 'app', 'workflow', 'q']) {
      expect(await found({ [field]: 'x\0y' })).toEqual([]);
    }
    expect(await found({ session: '\ud800' })).toEqual([]);
  });

  it('by tags: all of them', async () => {
    const both = await insertRun(test.engine, projectId, { tags: { tenant: 'acme', env: 'prod' } });
    const one = await insertRun(test.engine, projectId, { tags: { tenant: 'acme' } });
    const tenant = { key: 'tenant', value: 'acme' };
    expect(await found({ tags: [tenant] })).toEqual([both, one].sort());
    expect(await found({ tags: [tenant, { key: 'env', value: 'prod' }] })).toEqual([both]);
    expect(await found({ tags: [tenant, { key: 'tenant', value: 'other' }] })).toEqual([]);
    await expect(found({ tags: [{ key: 'no spaces', value: 'x' }] })).rejects.toThrow(/key must be/);
  });

  it('by the kind of trigger and by start', async () => {
    const createdAt = new Date('2031-05-01T10:00:00.500Z');
    const cron = await insertRun(test.engine, projectId, { triggerKind: 'cron', createdAt });
    expect(await found({ runType: 'CRON' })).toEqual([cron]);
    expect(await found({ since: '2031-05-01T12:00:00.500+02:00' })).toEqual([cron]);
    expect(await found({ since: '2031-05-01T10:00:00.501Z' })).toEqual([]);
  });

  it('by part of a name or an id, in any case, wildcards taken literally', async () => {
    const id = await insertRun(test.engine, projectId, { workflow: 'Nightly_Report%', app: 'books' });
    expect(await found({ q: 'nightly_rep' })).toEqual([id]);
    expect(await found({ q: 'REPORT%' })).toEqual([id]);
    expect(await found({ q: 'book' })).toEqual([id]);
    expect(await found({ q: id.slice(5, 20) })).toContain(id);
    expect(await found({ q: 'nightly%report' })).toEqual([]);
  });

  it('by content, only when asked to look deep: input, result and error, as text or escaped', async () => {
    const input = await insertRun(test.engine, projectId, { input: '{"note":"Zwölf \\"needles\\" here"}' });
    const escaped = await insertRun(test.engine, projectId, { input: '{"note":"Zw\\u00f6lf"}' });
    const result = await insertRun(test.engine, projectId, { status: 'succeeded', result: '["NEEDLE-R"]' });
    const error = await insertRun(test.engine, projectId, { status: 'failed', error: '{"message":"needle-e"}' });
    expect(await found({ q: 'zwölf' })).toEqual([]);
    expect(await found({ q: 'zwölf', deep: true })).toEqual([input, escaped].sort());
    expect(await found({ q: '"needles"', deep: true })).toEqual([input]);
    expect(await found({ q: 'needle-r', deep: true })).toEqual([result]);
    expect(await found({ q: 'needle-e', deep: true })).toEqual([error]);
    expect(await found({ deep: true })).toHaveLength((await found({})).length);
  });

  it('by content as it stands, members and their values included', async () => {
    const input = '{"orderId":"o-777","sp": 1}';
    const id = await insertRun(test.engine, projectId, { input });
    for (const q of ['o-777', '"O-777"', '"orderId":"o-777"', '{"orderId"', '"sp": 1', '"orderId":"o-777","sp'])
      expect(await found({ q, deep: true }), q).toEqual([id]);
    for (const q of ['"sp":1', 'o.777', 'o-77_', 'o-7%']) expect(await found({ q, deep: true }), q).not.toContain(id);
  });

  it('by content that was sent with escapes, all of it or some', async () => {
    const input = String.raw`{"city":"\u00c9vian","path":"a\/bcd","mix":"Zoë \uD83D\ude00 \ud83d\ude00😀","lines":"one\n\"two\"\\x"}`;
    const id = await insertRun(test.engine, projectId, { input });
    const content = [
      'Évian',
      String.raw`\u00c9vian`,
      'évian',
      'ÉVIAN',
      'a/bcd',
      'zoë 😀',
      '😀 😀😀',
      'one\n"two"',
      '"two"\\x',
    ];
    for (const q of content) expect(await found({ q, deep: true }), q).toEqual([id]);
    for (const q of ['Evian', 'one\ntwo', '😁', 'a/bcd.']) expect(await found({ q, deep: true }), q).toEqual([]);
  });

  it('by content beside what no text can hold', async () => {
    const result = String.raw`["\u0000","\ud800","\udc00\ud800","caf\u00e9 noir"]`;
    const id = await insertRun(test.engine, projectId, { status: 'succeeded', result });
    expect(await found({ q: 'café noir', deep: true })).toEqual([id]);
  });

  it('by up to 256 characters, whatever each takes in memory', async () => {
    const input = JSON.stringify('😀'.repeat(256));
    const id = await insertRun(test.engine, projectId, { input });
    expect(await found({ q: '😀'.repeat(256), deep: true })).toEqual([id]);
    await expect(found({ q: '😀'.repeat(257), deep: true })).rejects.toThrow('q may be at most 256 characters long');
  });

  it('never finds a run of another project', async () => {
    const other = await createTestProject(test.engine);
    const eventId = newId();
    const foreign = await insertRun(test.engine, other, {
      eventId,
      session: 's',
      tags: { a: 'b' },
      parentRunId: eventId,
    });
    const filters = [
      { eventId },
      { session: 's' },
      { tags: [{ key: 'a', value: 'b' }] },
      { parentRunId: eventId },
      { q: foreign },
    ];
    for (const filter of filters) expect(await found(filter)).toEqual([]);
  });
});
