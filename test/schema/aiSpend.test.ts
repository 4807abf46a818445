import { beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { insertRun, query, secretKey } from './fixtures.ts';

const test = useEngine();
let projectId: string;
let runs: string[];

interface Call {
  run: string;
  model?: string;
  tokensIn?: number;
  cost?: number;
  at?: string;
}

async function insertCalls(project: string, calls: readonly Call[]): Promise<void> {
  const data = calls.map(({ run, model = 'a', tokensIn = 1, cost, at = '2026-03-01T10:15:00Z' }, stepIndex) => ({
    ...{ runId: run, stepIndex, attempt: 1, projectId: project, app: 'shop', workflow: 'order' },
    ...{ model, tokensIn, cost: cost ?? null, createdAt: new Date(at) },
  }));
  await test.db.prisma.aiUsage.createMany({ data });
}

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  runs = [
    await insertRun(test.engine, projectId, { session: 'chat' }),
    await insertRun(test.engine, projectId, { session: 'chat' }),
    await insertRun(test.engine, projectId),
    await insertRun(test.engine, projectId),
  ];
  const [one = '', two = '', three = ''] = runs;
  await insertCalls(projectId, [
    { run: one, cost: 0.25, tokensIn: 10 },
    { run: one, model: 'b', tokensIn: 5, at: '2026-03-01T11:00:00Z' },
    { run: two, cost: 0.5 },
    { run: three, tokensIn: 1_000 },
  ]);
});

type Answer = Record<string, Record<string, unknown>>;
const ask = (document: string, variables: object = {}, project = projectId): Promise<Answer> =>
  query(test.engine, secretKey(project), document, { ...variables }) as Promise<Answer>;

it('the spend of models is told by session and by run, the highest cost first, then the most tokens', async () => {
  const { aiSpend } = await ask(`{ aiSpend {
    bySession { session calls tokens cost }
    byRun { runId calls cost run { id } }
    dearest: byRun(limit: 1) { runId } } }`);
  const [one, two, three] = runs;
  expect(aiSpend).toEqual({
    bySession: [
      { session: 'chat', calls: 3, tokens: 16, cost: 0.75 },
      { session: three, calls: 1, tokens: 1_000, cost: null },
    ],
    byRun: [
      { runId: two, calls: 1, cost: 0.5, run: { id: two } },
      { runId: one, calls: 2, cost: 0.25, run: { id: one } },
      { runId: three, calls: 1, cost: null, run: { id: three } },
    ],
    dearest: [{ runId: two }],
  });
});

it('the spend by hour is split by model, and filtered by model and time', async () => {
  const document = `query ($model: String, $until: DateTime) { aiSpend(model: $model, until: $until) {
    totals { calls } byHourAndModel { bucket model tokens } } }`;
  const first = { bucket: '2026-03-01T10:00:00.000Z', model: 'a', tokens: 1_011 };
  const second = { bucket: '2026-03-01T11:00:00.000Z', model: 'b', tokens: 5 };
  expect(await ask(document)).toEqual({ aiSpend: { totals: { calls: 4 }, byHourAndModel: [first, second] } });
  expect(await ask(document, { model: 'b' })).toEqual({ aiSpend: { totals: { calls: 1 }, byHourAndModel: [second] } });
  expect(await ask(document, { until: '2026-03-01T11:00:00Z' })).toEqual({
    aiSpend: { totals: { calls: 3 }, byHourAndModel: [first] },
  });
});

it('a run tells what its model calls used, and null if it made none', async () => {
  const document = 'query ($id: ID!) { run(id: $id) { ai { calls tokens cost } } }';
  expect(await ask(document, { id: runs[0] })).toEqual({ run: { ai: { calls: 2, tokens: 15, cost: 0.25 } } });
  expect(await ask(document, { id: runs[2] })).toEqual({ run: { ai: { calls: 1, tokens: 1_000, cost: null } } });
  expect(await ask(document, { id: runs[3] })).toEqual({ run: { ai: null } });
});

it('the spend of another project is not told', async () => {
  const other = await createTestProject(test.engine);
  await insertCalls(other, [{ run: newId() }]);
  const document = '{ aiSpend { bySession { session } byRun { runId } byHourAndModel { model } } }';
  expect(await ask(document, {}, await createTestProject(test.engine))).toEqual({
    aiSpend: { bySession: [], byRun: [], byHourAndModel: [] },
  });
});
