import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expireApprovals } from '../../../src/engine/approvals/index.ts';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { cancelRun } from '../../../src/engine/control/index.ts';
import type { Database } from '../../../src/engine/db/database.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { openDatabase } from '../../../src/engine/db/pool/open.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { useEngine } from '../../support/engine.ts';
import { complete, memoOf, type Script, steps } from '../../support/scriptedRunner.ts';
import { ask, findings, reasonOf, scene, signed } from './scene.ts';

let databases: Database[];
/** Three processes, as it were. */
let engines: EngineContext[];
const clock = new ManualClock();

const test = useEngine({ clock });
beforeAll(async () => {
  databases = await Promise.all([1, 2].map(() => openDatabase({ url: test.url, applicationName: 'holdfast test' })));
  const others = databases.map((db) => createEngine({ db, clock, log: pino({ level: 'silent' }) }));
  engines = [test.engine, ...others];
});
afterEach(() => onFailPoint(undefined));
afterAll(() => Promise.all(databases.map((db) => db.close())));

const engineAt = (position: number): EngineContext => engines[position % engines.length] ?? test.engine;

describe('racing decisions', () => {
  it('from several processes have one winner; the others hear that the approval is not open', async () => {
    const { asked, decide, dispatcher, run, approval, projectId } = await scene(test.engine, signed());
    for (let round = 0; round < 10; round += 1) {
      const { runId, approvalId } = await asked();
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          decide(approvalId, n % 2 === 0 ? 'approved' : 'denied', {
            on: engineAt(n),
            args: `{"amount":${n}}`,
            decider: { decidedBy: `decider ${n}`, decidedVia: 'api' },
          }),
        ),
      );
      expect(answers.filter((each) => each === 'decided')).toHaveLength(1);
      expect(new Set(answers)).toEqual(new Set(['decided', 'approval is not open']));
      const winner = answers.indexOf('decided');
      const decided = { status: winner % 2 === 0 ? 'approved' : 'denied', decidedBy: `decider ${winner}` };
      expect(await approval(approvalId)).toMatchObject(decided);
      await dispatcher.runOnce();
      expect(await run(runId)).toMatchObject({ status: 'succeeded', result: decided });
    }
    expect(await test.db.prisma.controlAction.count({ where: { projectId } })).toBe(10);
    expect(await findings(test.engine)).toEqual([]);
  });
});

const timeoutMs = 1_000;

/** Waits for a decision and for an event, and says what became of both. */
const both =
  (onTimeout: string): Script =>
  (request) => {
    const [sign, go] = [memoOf(request, 'sign'), memoOf(request, 'go')];
    const { id: _, ...opcode } = ask({ timeoutMs, onTimeout });
    if (!sign || !go) return steps([opcode, { op: 'WaitForEvent', name: 'go', eventName: 'go' }]);
    return 'pending' in sign || 'pending' in go ? steps([]) : complete(sign);
  };

const actors = ['approve', 'deny', 'deadline', 'cancel', 'event', 'pass'] as const;
type Actor = (typeof actors)[number];

/** What the deadline makes of an open approval. */
const outcomes: Record<string, string> = {
  approve: 'approved',
  reject: 'denied',
  fail: 'cancelled',
  escalate: 'escalated',
};

describe('whatever comes at the same moment', () => {
  it('decisions, the deadline, a cancellation, an event and a pass in flight leave one outcome, which the run knows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('approve', 'reject', 'fail', 'escalate'),
        fc.array(fc.constantFrom(...actors), { minLength: 2, maxLength: 7 }),
        (onTimeout, cast) => play(onTimeout, cast),
      ),
      { numRuns: 60, endOnFailure: true },
    );
    expect(await findings(test.engine)).toEqual([]);
  }, 120_000);
});

async function play(onTimeout: string, cast: readonly Actor[]): Promise<void> {
  const made = await scene(test.engine, both(onTimeout));
  const { asked, decide, dispatcher, approval, run, step, projectId } = made;
  const { runId, approvalId } = await asked();
  clock.advance(timeoutMs);
  const turns: Record<Actor, (on: EngineContext) => Promise<unknown>> = {
    approve: (on) => decide(approvalId, 'approved', { on }),
    deny: (on) => decide(approvalId, 'denied', { on }),
    deadline: (on) => expireApprovals(on),
    cancel: (on) => cancelRun(on, { projectId, runId, actor: 'test' }).catch(reasonOf),
    event: (on) => sendEvent(on, { projectId, input: { name: 'go' } }),
    pass: () => dispatcher.runOnce(),
  };
  const answers = await Promise.all(cast.map((actor, n) => turns[actor](engineAt(n))));
  const decided = answers.filter((answer) => answer === 'decided').length;
  const { status, decidedVia } = await approval(approvalId);

  expect(decided).toBeLessThanOrEqual(1);
  if (decided === 1) expect([status, decidedVia]).toEqual([expect.stringMatching(/^(approved|denied)$/), 'console']);
  else if (decidedVia === 'timeout') expect(status).toBe(outcomes[onTimeout]);
  else expect(['pending', 'escalated', 'cancelled']).toContain(status);
  if (cast.includes('deadline')) expect(status).not.toBe('pending');

  // Whatever is left undone is done now: the run must come to an end that fits the outcome.
  if (status === 'pending' || status === 'escalated') await decide(approvalId, 'approved');
  await sendEvent(test.engine, { projectId, input: { name: 'go' } });
  await dispatcher.runOnce();
  const end = await run(runId);
  const final = await approval(approvalId);
  const settled = await step(runId);
  if (final.status === 'approved' || final.status === 'denied') {
    const memo = { status: final.status, decidedBy: final.decidedBy, decidedVia: final.decidedVia };
    expect(settled).toMatchObject({ status: 'succeeded', output: memo });
    if (end.status !== 'cancelled') expect(end).toMatchObject({ status: 'succeeded', result: { data: memo } });
  } else {
    expect(final.status).toBe('cancelled');
    expect(end.status === 'cancelled' || settled.status === 'failed').toBe(true);
  }
  expect(['succeeded', 'failed', 'cancelled']).toContain(end.status);
}

describe('a process that breaks down in a decision', () => {
  const writes = ['recordDecision:before', 'recordDecision:after', 'settleSteps:before', 'settleSteps:after'] as const;

  it.each(writes)('at %s leaves the approval open and the run waiting; the next decision counts', async (point) => {
    const { asked, decide, dispatcher, approval, run, step } = await scene(test.engine, signed());
    const { runId, approvalId } = await asked();
    onFailPoint((reached) => {
      if (reached === point) throw new Error('gone');
    });
    await expect(decide(approvalId)).rejects.toThrow('gone');
    onFailPoint(undefined);
    expect(await approval(approvalId)).toMatchObject({ status: 'pending', decidedAt: null });
    expect(await step(runId)).toMatchObject({ status: 'waiting' });
    expect(await findings(test.engine)).toEqual([]);
    expect(await decide(approvalId, 'denied')).toBe('decided');
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: { status: 'denied' } });
  });

  it.each([
    'expireDueApprovals:before',
    'expireDueApprovals:after',
    'settleSteps:before',
    'settleSteps:after',
  ] as const)('or in a deadline at %s leaves it to be applied by the next', async (point) => {
    const { asked, dispatcher, approval, run } = await scene(test.engine, signed({ timeoutMs, onTimeout: 'reject' }));
    const { runId, approvalId } = await asked();
    clock.advance(timeoutMs);
    onFailPoint((reached) => {
      if (reached === point) throw new Error('gone');
    });
    await expect(expireApprovals(test.engine)).rejects.toThrow('gone');
    onFailPoint(undefined);
    expect(await approval(approvalId)).toMatchObject({ status: 'pending' });
    expect(await expireApprovals(engineAt(1))).toBe(1);
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: { status: 'denied' } });
  });
});
