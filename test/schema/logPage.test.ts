import { beforeAll, describe, expect, it } from 'vitest';
import { statementTexts } from '../../src/engine/db/statement.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { insertRun, query, recordStatements, secretKey } from './fixtures.ts';

const test = useEngine();
let projectId: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
});

interface Page {
  nodes: { seq: number; message: string }[];
  nextFrom: number | null;
  nextBefore: number | null;
}

interface Args {
  from?: number;
  before?: number;
  limit?: number;
  last?: number;
  levels?: string[];
  scope?: string;
  q?: string;
}

const document = `query ($id: ID!, $from: Int, $before: Int, $limit: Int, $last: Int, $levels: [LogLevel!], $scope: String,
  $q: String) { run(id: $id) {
    logPage(from: $from, before: $before, limit: $limit, last: $last, levels: $levels, scope: $scope, q: $q) {
      nodes { seq message } nextFrom nextBefore } } }`;

async function page(id: string, args: Args, engine = test.engine): Promise<Page> {
  const { run } = (await query(engine, secretKey(projectId), document, { id, ...args } as never)) as {
    run: { logPage: Page };
  };
  return run.logPage;
}

/** What a page shows: its lines, and where the next begins. */
async function seqs(id: string, args: Args): Promise<[number[], number | null]> {
  const { nodes, nextFrom, nextBefore } = await page(id, args);
  return [nodes.map(({ seq }) => seq), nextBefore ?? nextFrom];
}

interface Line {
  level?: string;
  message?: string;
  fields?: string;
  scope?: string;
}

/** Frames as a pass commits them: a status, then lines. */
async function runWith(lines: readonly Line[]): Promise<string> {
  const id = await insertRun(test.engine, projectId, { status: 'running' });
  await insertFrame(id, 1, 'run_status', '{"status":"running"}', null);
  for (const [n, { level = 'info', message = `line ${n}`, fields, scope = '@root' }] of lines.entries()) {
    const extra = fields === undefined ? '' : `,"fields":${fields}`;
    const payload = `{"level":"${level}","message":${JSON.stringify(message)}${extra},"scope":${JSON.stringify(scope)},"attempt":1}`;
    await insertFrame(id, n + 2, 'log', payload, scope);
  }
  return id;
}

const insertFrame = (runId: string, seq: number, kind: string, payload: string, scope: string | null) =>
  test.db.query({
    text: `insert into run_frame (run_id, seq, kind, payload, log_scope, log_attempt, log_index)
           values ($1, $2::int, $3, $4::json, $5, 1, $2::int)`,
    values: [runId, seq, kind, payload, scope],
  });

const lines = (count: number): Line[] => Array.from({ length: count }, () => ({}));

describe('a page from the end', () => {
  it('has the last lines in the order in which they were stored, and tells where older ones end', async () => {
    const id = await runWith(lines(5));
    expect(await seqs(id, { last: 2 })).toEqual([[5, 6], 5]);
    expect(await seqs(id, { last: 2, before: 5 })).toEqual([[3, 4], 3]);
    expect(await seqs(id, { last: 2, before: 3 })).toEqual([[2], null]);
    expect(await seqs(id, { before: 4 })).toEqual([[2, 3], null]);
    expect(await seqs(id, { last: 5 })).toEqual([[2, 3, 4, 5, 6], null]);
  });

  it('may begin after a line; with limit, a page before a line begins at the start', async () => {
    const id = await runWith(lines(5));
    expect(await seqs(id, { last: 2, from: 4 })).toEqual([[5, 6], null]);
    expect(await seqs(id, { limit: 2, before: 5 })).toEqual([[2, 3], 3]);
    expect(await seqs(id, { limit: 2, from: 3, before: 5 })).toEqual([[4], null]);
  });

  it('reads the last of 10,000 lines in one statement, and does not walk the others', async () => {
    const id = await manyLines(10_000);
    const { engine, statements } = recordStatements(test.engine);
    const { nodes, nextBefore } = await page(id, { last: 100 }, engine);
    expect([nodes.length, nodes.at(-1)?.seq, nextBefore]).toEqual([100, 10_000, 9_901]);
    expect(statements).toEqual(['selectRunRows', 'selectLatestRunLogs']);
  });

  it.each(['selectRunLogs', 'selectLatestRunLogs'])('walks the journal in its order (%s)', async (name) => {
    const text = statementTexts().get(name) ?? '';
    const { rows } = await test.db.query<Record<string, string>>(`explain (generic_plan) ${text}`);
    const plan = rows.map((row) => Object.values(row)[0]).join('\n');
    expect(plan).toMatch(/Index Scan.* using run_frame_pkey on run_frame/);
    expect(plan).not.toMatch(/run_frame_log_idx|Sort Key: run_frame/);
  });

  it('refuses limit beside last, and numbers that cannot be', async () => {
    const id = await runWith(lines(1));
    await expect(page(id, { last: 1, limit: 1 })).rejects.toThrow('use limit or last, not both');
    await expect(page(id, { last: 0 })).rejects.toThrow('last must be an integer of at least 1');
    await expect(page(id, { before: -1 })).rejects.toThrow('before must be an integer of at least 0');
    await expect(page(id, { q: 'x'.repeat(257) })).rejects.toThrow('q may be at most 256 characters long');
  });
});

describe('a filter', () => {
  it('takes lines of some levels', async () => {
    const id = await runWith(['debug', 'info', 'warn', 'error', 'info'].map((level) => ({ level })));
    expect(await seqs(id, { levels: ['WARN', 'ERROR'] })).toEqual([[4, 5], null]);
    expect(await seqs(id, { levels: ['INFO'], last: 1 })).toEqual([[6], 6]);
    expect(await seqs(id, { levels: [] })).toEqual([[2, 3, 4, 5, 6], null]);
  });

  it('takes lines of a step, or of the handler with the warnings of the service', async () => {
    const id = await runWith([{ scope: 'charge' }, {}, { scope: 'charge' }, { scope: 'charge:1' }]);
    const warning = `{"level" : "warn", "message" : "late", "fields" : {"n" : 7}, "scope" : "@root", "attempt" : 1}`;
    await insertFrame(id, 6, 'log', warning, null);
    expect(await seqs(id, { scope: 'charge' })).toEqual([[2, 4], null]);
    expect(await seqs(id, { scope: '@root' })).toEqual([[3, 6], null]);
    expect(await seqs(id, { levels: ['WARN'] })).toEqual([[6], null]);
    expect(await seqs(id, { q: 'LATE' })).toEqual([[6], null]);
    expect(await seqs(id, { q: '7' })).toEqual([[6], null]);
    expect(await seqs(id, { scope: 'a\u0000' })).toEqual([[], null]);
  });

  it('takes lines whose message or fields hold a text, whatever its case and escapes', async () => {
    const texts = ['Order 7 paid', 'a "quoted" word', 'back\\slash\nnew', 'ÄRGER 😀', '100% (really) [x]*', 'plain'];
    const id = await runWith(texts.map((message) => ({ message })));
    await insertFrame(id, 8, 'log', '{"level":"info","message":"caf\\u00e9","scope":"s","attempt":1}', 's');
    for (const [n, text] of texts.entries()) expect(await seqs(id, { q: text.toLowerCase() })).toEqual([[n + 2], null]);
    expect(await seqs(id, { q: 'CAFÉ' })).toEqual([[8], null]);
    // The escape of a line break is no n.
    expect(await seqs(id, { q: 'n' })).toEqual([[4, 7], null]);
    expect(await seqs(id, { q: 'hn' })).toEqual([[], null]);
    expect(await seqs(id, { q: '"' })).toEqual([[3], null]);
    expect(await seqs(id, { q: '%' })).toEqual([[6], null]);
    for (const none of ['level', 'message', 'scope', 'attempt', 'info', '00e9', 'u00', 'a\u0000']) {
      expect([none, ...(await seqs(id, { q: none }))]).toEqual([none, [], null]);
    }
  });

  it('looks into fields, and not into the scope behind them', async () => {
    const id = await runWith([
      { message: 'paid', fields: '{"orderId":"o-7","scope":"inner"}' },
      { message: 'paid "fields":{"orderId":', scope: 'o-7' },
    ]);
    expect(await seqs(id, { q: 'O-7' })).toEqual([[2], null]);
    expect(await seqs(id, { q: 'inner' })).toEqual([[2], null]);
    expect(await seqs(id, { q: 'orderid' })).toEqual([[2, 3], null]);
  });

  it('looks through 20000 lines a page: a page without a match tells where the next goes on', async () => {
    const id = await manyLines(30_000);
    await test.db.query({
      text: `update run_frame set payload = replace(payload::text, 'line', 'needle')::json where run_id = $1 and seq in (1, 30000)`,
      values: [id],
    });
    expect(await seqs(id, { q: 'needle' })).toEqual([[1], 20_000]);
    expect(await seqs(id, { q: 'needle', from: 20_000 })).toEqual([[30_000], null]);
    expect(await seqs(id, { q: 'needle', last: 10 })).toEqual([[30_000], 10_001]);
    expect(await seqs(id, { q: 'needle', last: 10, before: 10_001 })).toEqual([[1], null]);
    expect(await seqs(id, { scope: 'none' })).toEqual([[], 20_000]);
  });

  it('shares these lines among the runs of a list', async () => {
    const ids = [await manyLines(11_000), await manyLines(11_000)];
    const list = `{ one: run(id: "${ids[0]}") { logPage(q: "none") { nextFrom } }
      two: run(id: "${ids[1]}") { logPage(q: "none") { nextFrom } } }`;
    const found = await query(test.engine, secretKey(projectId), list);
    expect(found).toEqual({ one: { logPage: { nextFrom: 10_000 } }, two: { logPage: { nextFrom: 10_000 } } });
  });
});

/** A run with lines only, from 1. */
async function manyLines(count: number): Promise<string> {
  const id = await insertRun(test.engine, projectId, { status: 'running' });
  await test.db.query({
    text: `insert into run_frame (run_id, seq, kind, payload, log_scope, log_attempt, log_index)
           select $1, n, 'log', ('{"level":"info","message":"line ' || n || '","scope":"@root","attempt":1}')::json, '@root', 1, n
           from generate_series(1, $2::int) n`,
    values: [id, count],
  });
  return id;
}
