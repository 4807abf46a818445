import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { registerDispatcher, retireDispatcher } from '../../../src/engine/dispatchers/index.ts';
import { offerEagerStarts } from '../../../src/engine/ingest/index.ts';
import { type Pass, settlePass, startedPass } from '../../../src/engine/passes/index.ts';
import { releaseRuns, releaseSuspects } from '../../../src/engine/work/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { readFrames } from '../../support/frames.ts';
import { somebodyWaits } from '../../support/lockWaits.ts';
import { complete, ScriptedDispatcher } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();
let projectId: string;
let dispatcherId: string;
let withdraw: () => void;
/** The outcomes of the eager starts. */
let begun: Promise<Pass>[];
let cancelled: number;

beforeAll(async () => {
  dispatcherId = await registerDispatcher(test.engine);
});
beforeEach(async () => {
  projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'flow' }, { name: 'counted', concurrency: { limit: 1 } }]);
  offer(dispatcherId);
});
afterEach(() => {
  withdraw();
  onFailPoint(undefined);
});

function offer(id: string): void {
  [begun, cancelled] = [[], 0];
  withdraw = offerEagerStarts(test.engine, () => ({
    dispatcherId: id,
    begin: (run, startedAt) => void begun.push(startedPass(test.engine, run, { dispatcherId: id, startedAt })),
    cancel: () => {
      cancelled += 1;
    },
  }));
}

async function start(name = 'flow'): Promise<string> {
  const input = { tags: { b: '1', a: '2' }, eventName: 'by hand' };
  const { runId = '' } = await triggerWorkflow(test.engine, { projectId, app: 'default', name, input });
  return runId;
}

const work = (runId: string) => test.db.prisma.runWork.findUnique({ where: { runId } });

it('a run with a free runner is leased with its start', async () => {
  const runId = await start();
  expect(await work(runId)).toMatchObject({ state: 'leased', leaseId: dispatcherId, claimNo: 1, seq: 2n });
  const run = await test.db.prisma.run.findUniqueOrThrow({ where: { id: runId } });
  expect(run).toMatchObject({ status: 'running', startedAt: run.createdAt });
  const frames = await readFrames(test.engine, { projectId, runId });
  expect(frames.map(({ seq, payload }) => [seq, JSON.parse(payload)])).toEqual([
    [1, { status: 'queued' }],
    [2, { status: 'running' }],
  ]);
  const [pass] = await Promise.all(begun);
  if (!pass) throw new Error('nothing began');
  expect(await settlePass(test.engine, pass, complete('done'))).toBe('released');
  expect(await test.db.prisma.run.findUniqueOrThrow({ where: { id: runId } })).toMatchObject({ status: 'succeeded' });
});

it('an eager start has the same first pass as a claim would return', async () => {
  const runId = await start();
  const [pass] = await Promise.all(begun);
  await releaseRuns(test.engine, dispatcherId, [runId]);
  const claimed = await (await new ScriptedDispatcher(test.engine, () => complete(1)).start()).claim();
  const same = claimed.find((each) => each.runId === runId);
  const { claimNo, dispatcherId: by, dbNow } = same ?? {};
  expect({ ...pass, claimNo, dispatcherId: by, dbNow }).toEqual(same);
});

it.each([
  ['whose workflow has a concurrency policy', 'counted', async () => undefined],
  [
    'of a project with a ceiling',
    'flow',
    () => test.db.prisma.project.update({ where: { id: projectId }, data: { concurrencyCeiling: 5 } }),
  ],
])('a run %s waits for a claim', async (_, name, prepare) => {
  await prepare();
  const runId = await start(name);
  expect(await work(runId)).toMatchObject({ state: 'ready', leaseId: null, claimNo: 0, seq: 1n });
  expect(begun).toEqual([]);
  expect(cancelled).toBe(name === 'flow' ? 1 : 0);
});

it('a removed dispatcher gets no lease', async () => {
  const gone = await registerDispatcher(test.engine);
  await retireDispatcher(test.engine, gone);
  withdraw();
  offer(gone);
  expect(await work(await start())).toMatchObject({ state: 'ready', leaseId: null });
  expect([begun.length, cancelled]).toEqual([0, 1]);
});

it.each([
  ['by this build', 'found_dead_at = now()'],
  ['by an older build', "started_at = 'infinity'"],
])('a dispatcher that was found dead %s, but still holds leases, gets no lease', async (_, mark) => {
  const dead = await registerDispatcher(test.engine);
  await test.db.query(`update dispatcher set ${mark} where id = $1`, [dead]);
  withdraw();
  offer(dead);
  expect(await work(await start())).toMatchObject({ state: 'ready', leaseId: null });
  expect([begun.length, cancelled]).toEqual([0, 1]);
});

it('a start whose answer was lost is released by the next check of suspect leases', async () => {
  onFailPoint((point) => {
    if (point === 'ingestStarts:after') throw new Error('lost');
  });
  await expect(start()).rejects.toThrow('lost');
  onFailPoint(undefined);
  expect([begun.length, cancelled]).toEqual([0, 1]);
  const { runId } = await test.db.prisma.runWork.findFirstOrThrow({ where: { projectId } });
  expect(await work(runId)).toMatchObject({ state: 'leased', leaseId: dispatcherId });
  await releaseSuspects(test.engine, dispatcherId);
  expect(await work(runId)).toMatchObject({ state: 'ready', leaseId: null });
});

it('a start during a check of suspect leases keeps its lease', async () => {
  onFailPoint((point) => {
    if (point === 'ingestStarts:after') throw new Error('lost');
  });
  await expect(start()).rejects.toThrow('lost');
  const { runId: lost } = await test.db.prisma.runWork.findFirstOrThrow({ where: { projectId } });
  let fresh = '';
  onFailPoint(async (point) => {
    if (point !== 'releaseLeases:before') return;
    onFailPoint(undefined);
    fresh = await start();
  });
  await releaseSuspects(test.engine, dispatcherId);
  expect(await work(lost)).toMatchObject({ state: 'ready', leaseId: null });
  expect(await work(fresh)).toMatchObject({ state: 'leased', leaseId: dispatcherId });
});

it('a lease that is written while its dispatcher retires is released', async () => {
  const leaving = await registerDispatcher(test.engine);
  withdraw();
  offer(leaving);
  let retiring: Promise<void> | undefined;
  const runId = await test.db.transaction(async (tx) => {
    await tx.query({ text: 'select from dispatcher where id = $1 for key share', values: [leaving] });
    retiring = retireDispatcher(test.engine, leaving);
    await somebodyWaits(test.db);
    return start();
  });
  await retiring;
  expect(await work(runId)).toMatchObject({ state: 'ready', leaseId: null });
});

it('a lease of a dispatcher that crashes during its shutdown stays visible to others', async () => {
  const leaving = await registerDispatcher(test.engine);
  withdraw();
  offer(leaving);
  let retiring: Promise<void> | undefined;
  onFailPoint(async (point) => {
    if (point === 'removeDispatcher:after') throw new Error('killed');
  });
  const runId = await test.db.transaction(async (tx) => {
    await tx.query({ text: 'select from dispatcher where id = $1 for key share', values: [leaving] });
    retiring = retireDispatcher(test.engine, leaving);
    retiring.catch(() => {});
    await somebodyWaits(test.db);
    return start();
  });
  await expect(retiring).rejects.toThrow('killed');
  expect(await work(runId)).toMatchObject({ state: 'leased', leaseId: leaving });
  expect(await test.db.prisma.dispatcher.count({ where: { id: leaving } })).toBe(1);
});
