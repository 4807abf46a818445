import { afterEach, expect, it, vi } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { registerDispatcher } from '../../../src/engine/dispatchers/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { offerEagerWakes, wakeDueRuns } from '../../../src/engine/work/index.ts';
import { Scheduler } from '../../../src/workers/scheduler/index.ts';
import { recordStatements } from '../../schema/fixtures.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { complete, memoOf, type Script, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();
let scheduler: Scheduler | undefined;
afterEach(() => scheduler?.stop());

/** Starts runs that sleep for so many ms each, and parks them. */
async function park(...sleeps: number[]): Promise<string[]> {
  const { engine } = test;
  const projectId = await createTestProject(engine);
  await registerWorkflows(engine, projectId, [{ name: 'flow' }]);
  const script: Script = (request) =>
    memoOf(request, 'nap')
      ? complete(1)
      : steps([{ op: 'Sleep', name: 'nap', sleepMs: (request.event.data as { ms: number }).ms }]);
  const dispatcher = await new ScriptedDispatcher(engine, script).start();
  const runIds: string[] = [];
  for (const ms of sleeps) {
    const started = await triggerWorkflow(engine, {
      projectId,
      app: 'default',
      name: 'flow',
      input: { input: RawJson.of({ ms }) },
    });
    runIds.push(started.runId ?? '');
    await dispatcher.runOnce();
  }
  return runIds;
}

const stateOf = async (runId: string) => (await test.db.prisma.runWork.findUniqueOrThrow({ where: { runId } })).state;

const becomesDue = (runId: string) =>
  test.db.query({
    text: `update run_work set due_at = now() - interval '1 second' where run_id = $1`,
    values: [runId],
  });

it('a wake-up tells when the next run is due, past those that are locked', async () => {
  const [sooner = '', later = ''] = await park(60_000, 60_000);
  await becomesDue(sooner);
  const { woken, nextInMs, isPutOff } = await wakeDueRuns(test.engine);
  expect([woken, isPutOff]).toEqual([1, false]);
  expect(nextInMs).toBeGreaterThan(1_000);
  expect(nextInMs).toBeLessThanOrEqual(60_000);
  await becomesDue(later);
  await test.db.transaction(async (tx) => {
    await tx.query({ text: 'select from run_work where run_id = $1 for update', values: [later] });
    const locked = await wakeDueRuns(test.engine);
    expect(locked.woken).toBe(0);
    expect(locked.nextInMs).toBeLessThanOrEqual(0);
  });
  expect(await wakeDueRuns(test.engine)).toMatchObject({ woken: 1, nextInMs: undefined });
});

it('a run that parks here is woken in time by one statement', async () => {
  const recording = recordStatements(test.engine);
  scheduler = new Scheduler(test.engine);
  scheduler.start();
  await vi.waitFor(() => expect(recording.statements).toContain('nextDue'));
  const [runId = ''] = await park(400);
  recording.clear();
  await vi.waitFor(async () => expect(await stateOf(runId)).toBe('ready'), { timeout: 14_000, interval: 20 });
  const told = recording.statements.filter((name) => ['nextDue', 'wakeDue', 'overdueStranded'].includes(name));
  expect(new Set(told)).toEqual(new Set(['wakeDue']));
});

it('a run that parks here and has a free runner here is woken and leased in time, without a claim', async () => {
  const dispatcherId = await registerDispatcher(test.engine);
  const begun: string[] = [];
  const begin = ({ id }: { id: string }) => void begun.push(id);
  const withdraw = offerEagerWakes(test.engine, () => ({ dispatcherId, begin, cancel: () => {} }));
  scheduler = new Scheduler(test.engine);
  scheduler.start();
  const [runId = ''] = await park(400);
  await vi.waitFor(() => expect(begun).toEqual([runId]), { timeout: 14_000, interval: 20 });
  expect(await stateOf(runId)).toBe('leased');
  withdraw();
});
