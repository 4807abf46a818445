import { describe, expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { scene, signed } from '../engine/approvals/scene.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { insertRun, query, recordStatements, secretKey } from './fixtures.ts';

const test = useEngine();

interface Fixture {
  expiresAt?: string;
  status?: string;
  risk?: string;
}

/** A project with approvals of one run. Answers their ids in order. */
async function withApprovals(fixtures: readonly Fixture[]): Promise<{ projectId: string; ids: string[] }> {
  const projectId = await createTestProject(test.engine);
  const runId = await insertRun(test.engine, projectId);
  const ids: string[] = [];
  for (const [stepIndex, { expiresAt, status = 'pending', risk = 'high' }] of fixtures.entries()) {
    const id = newId();
    const data = { id, projectId, runId, stepIndex, step: 'ask', tool: 'refund', args: {}, risk, status };
    const deadline = expiresAt === undefined ? null : new Date(expiresAt);
    await test.db.prisma.approval.create({
      data: { ...data, escalatesTo: '', onTimeout: 'escalate', expiresAt: deadline },
    });
    ids.push(id);
  }
  return { projectId, ids };
}

type Found = { approvals: { nodes: { id: string }[]; pageInfo: { endCursor: string; hasNextPage: boolean } } };

describe('approvals by deadline', () => {
  const document = `query ($sort: ApprovalSort, $first: Int, $after: String, $isOpen: Boolean, $risk: String) {
    approvals(sort: $sort, first: $first, after: $after, isOpen: $isOpen, risk: $risk) {
      nodes { id } pageInfo { endCursor hasNextPage } } }`;
  const fixtures: Fixture[] = [
    {},
    { expiresAt: '2026-03-03T00:00:00Z' },
    { expiresAt: '2026-03-01T00:00:00Z', risk: 'low' },
    { expiresAt: '2026-02-01T00:00:00Z', status: 'cancelled' },
    { expiresAt: '2026-03-01T00:00:00Z' },
    { expiresAt: '2026-02-02T00:00:00Z', status: 'escalated' },
    {},
  ];

  it('are the open ones, the next deadline first; page by page as well', async () => {
    const { projectId, ids } = await withApprovals(fixtures);
    const read = async (variables: object): Promise<Found['approvals']> => {
      const args = { sort: 'DEADLINE', ...variables };
      return ((await query(test.engine, secretKey(projectId), document, args as never)) as unknown as Found).approvals;
    };
    const numbersOf = ({ nodes }: Found['approvals']) => nodes.map(({ id }) => ids.indexOf(id));
    expect(numbersOf(await read({}))).toEqual([5, 2, 4, 1, 0, 6]);
    expect(numbersOf(await read({ risk: 'high' }))).toEqual([5, 4, 1, 0, 6]);
    const paged: number[] = [];
    for (let after: string | undefined; ; ) {
      const page = await read({ first: 1, after });
      paged.push(...numbersOf(page));
      after = page.pageInfo.endCursor;
      if (!page.pageInfo.hasNextPage) break;
    }
    expect(paged).toEqual([5, 2, 4, 1, 0, 6]);
  });

  it('have cursors of their own, and are none of those that are decided', async () => {
    const { projectId } = await withApprovals(fixtures);
    const ask = (variables: object) => query(test.engine, secretKey(projectId), document, variables as never);
    const { approvals } = (await ask({ first: 1 })) as unknown as Found;
    await expect(ask({ sort: 'DEADLINE', after: approvals.pageInfo.endCursor })).rejects.toThrow('cursor is damaged');
    await expect(ask({ sort: 'DEADLINE', isOpen: false })).rejects.toThrow(
      'only open approvals are sorted by deadline',
    );
  });
});

describe('approvalStats', () => {
  const document = '{ approvalStats { open isCapped byRisk { risk count } } }';

  it('counts open approvals of its own project by risk, in one statement', async () => {
    const { projectId } = await withApprovals([
      { risk: 'low' },
      { risk: 'high' },
      { risk: 'high', status: 'escalated' },
      { risk: 'high', status: 'cancelled' },
    ]);
    await withApprovals([{ risk: 'low' }]);
    const { engine, statements } = recordStatements(test.engine);
    expect(await query(engine, secretKey(projectId), document)).toEqual({
      approvalStats: {
        open: 3,
        isCapped: false,
        byRisk: [
          { risk: 'high', count: 2 },
          { risk: 'low', count: 1 },
        ],
      },
    });
    expect(statements).toEqual(['countOpenApprovals']);
  });

  it('counts the newest 10000, and tells at most 100 risks', async () => {
    const projectId = await createTestProject(test.engine);
    await test.db.query({
      text: `insert into approval (id, project_id, run_id, step_index, step, tool, args, risk, escalates_to, on_timeout, status)
             select uuidv7(), $1, uuidv7(), 0, 'ask', 'refund', '{}', 'risk ' || n % 101, '', 'escalate', 'pending'
             from generate_series(1, 10001) n`,
      values: [projectId],
    });
    const { approvalStats } = (await query(test.engine, secretKey(projectId), document)) as {
      approvalStats: { open: number; isCapped: boolean; byRisk: unknown[] };
    };
    expect({ ...approvalStats, byRisk: approvalStats.byRisk.length }).toEqual({
      open: 10_000,
      isCapped: true,
      byRisk: 100,
    });
  });
});

describe('the reason of a decision', () => {
  const decide = `mutation ($input: DecideApprovalInput!) { decideApproval(input: $input) {
    approval { status decisionReason } } }`;

  it('is kept with the approval and in the audit log, and the handler receives it', async () => {
    const { asked, projectId, dispatcher, run } = await scene(test.engine, signed());
    const { runId, approvalId } = await asked();
    const ask = (document: string, input: object) =>
      query(test.engine, secretKey(projectId), document, { input } as never);
    expect(await ask(decide, { id: approvalId, status: 'DENIED', reason: 'no receipt' })).toEqual({
      decideApproval: { approval: { status: 'DENIED', decisionReason: 'no receipt' } },
    });
    await dispatcher.runOnce();
    expect((await run(runId)).result).toMatchObject({ status: 'denied', reason: 'no receipt' });
    expect(await ask('{ controlActions { nodes { detail } } }', {})).toEqual({
      controlActions: { nodes: [{ detail: { approvalId, step: 'sign', reason: 'no receipt' } }] },
    });
  });

  it('is absent where none was given', async () => {
    const { asked, projectId, dispatcher, run } = await scene(test.engine, signed());
    const { runId, approvalId } = await asked();
    const input = { id: approvalId, status: 'APPROVED', reason: '' };
    expect(await query(test.engine, secretKey(projectId), decide, { input })).toEqual({
      decideApproval: { approval: { status: 'APPROVED', decisionReason: null } },
    });
    await dispatcher.runOnce();
    expect((await run(runId)).result).not.toHaveProperty('reason');
  });

  it('has at most 2000 characters, all of which can be stored; else nothing is decided', async () => {
    const { asked, projectId, approval } = await scene(test.engine, signed());
    const { approvalId } = await asked();
    const attempt = (reason: string) => {
      const input = { id: approvalId, status: 'APPROVED', reason };
      return query(test.engine, secretKey(projectId), decide, { input });
    };
    await expect(attempt('x'.repeat(2001))).rejects.toThrow('reason may be at most 2000 characters long');
    await expect(attempt('a\u0000b')).rejects.toThrow('unsupported character in reason');
    expect((await approval(approvalId)).status).toBe('pending');
  });
});
