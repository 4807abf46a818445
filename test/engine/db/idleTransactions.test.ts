import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import type { Database } from '../../../src/engine/db/database.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { openDatabase } from '../../../src/engine/db/pool/open.ts';
import { withStartupLock } from '../../../src/engine/db/pool/startupLock.ts';
import { isTransient } from '../../../src/engine/db/transient.ts';
import { lockRuns } from '../../../src/engine/work/sql/lockRuns.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { complete, ScriptedDispatcher } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();
/** The database of a process that freezes during a transaction. */
let other: Database;
let otherEngine: EngineContext;

beforeAll(async () => {
  other = await openDatabase({ url: test.url, idleInTransactionMs: 300 });
  otherEngine = createEngine({ db: other, log: pino({ level: 'silent' }), settings: test.engine.settings });
});
afterEach(() => onFailPoint(undefined));
afterAll(() => other.close());

async function startRun(policies: { concurrency?: { limit: number } } = {}): Promise<string> {
  const projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'flow', ...policies }]);
  const { runId } = await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: {} });
  return runId ?? '';
}

/** A point that both sides wait for. */
function mark(): { passed: Promise<void>; pass(): void } {
  let pass = (): void => {};
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
  });
  return { passed, pass };
}

const dispatcher = (engine: EngineContext) => new ScriptedDispatcher(engine, () => complete('done')).start();
const statusOf = async (id: string) => (await test.db.prisma.run.findUniqueOrThrow({ where: { id } })).status;
const reasonOf = (work: Promise<unknown>): Promise<unknown> => work.then(() => undefined).catch((error) => error);

describe('a process that stops within a transaction', () => {
  it('delays the commits of others for a bounded time, and its own commit fails with the reason', async () => {
    const runId = await startRun();
    const living = await dispatcher(test.engine);
    const [pass] = await living.claim();
    if (!pass) throw new Error('nothing was claimed');
    const [locked, goOn] = [mark(), mark()];
    const reason = reasonOf(
      other.transaction(async (tx) => {
        await lockRuns(tx, { runIds: [runId] });
        locked.pass();
        await goOn.passed;
        await lockRuns(tx, { runIds: [runId] });
      }),
    );
    await locked.passed;
    await living.drive(pass);
    expect(await statusOf(runId)).toBe('succeeded');
    goOn.pass();
    expect(await reason).toMatchObject({ message: expect.stringContaining('idle-in-transaction timeout') });
    expect(isTransient(await reason)).toBe(true);
    expect(other.pool.idleCount).toBe(other.pool.totalCount);
    expect(await other.transaction((tx) => lockRuns(tx, { runIds: [runId] }))).toEqual([]);
  });

  it('keeps no room of a limit that it was about to take', async () => {
    const runId = await startRun({ concurrency: { limit: 1 } });
    const [stopped, living] = [await dispatcher(otherEngine), await dispatcher(test.engine)];
    const [reached, goOn] = [mark(), mark()];
    onFailPoint((point) => {
      if (point !== 'transaction:before') return;
      onFailPoint(undefined);
      reached.pass();
      return goOn.passed;
    });
    const reason = reasonOf(stopped.claim());
    await reached.passed;
    await vi.waitFor(async () => expect(await living.runOnce()).toBe(1), { timeout: 5_000 });
    expect(await statusOf(runId)).toBe('succeeded');
    goOn.pass();
    expect(isTransient(await reason)).toBe(true);
  });
});

describe('a service that starts', () => {
  it('has the time it takes: it holds a transaction that idles meanwhile', async () => {
    const started = withStartupLock(other, async () => {
      await test.db.query('select pg_sleep(0.6)');
      return 'started';
    });
    expect(await started).toBe('started');
  });
});
