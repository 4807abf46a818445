import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../src/engine/admission/index.ts';
import { createEngine } from '../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../src/engine/clock.ts';
import { recoverConsequences } from '../../src/engine/consequences/index.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import { tickDispatcher } from '../../src/engine/dispatchers/index.ts';
import { recoverPending, sendEvent } from '../../src/engine/events/index.ts';
import { beatAlone } from '../support/beatAlone.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { beforeStatement } from '../support/interruptedDatabase.ts';
import { complete, memoOf, type Script, ScriptedDispatcher, steps } from '../support/scriptedRunner.ts';
import { registerWorkflows } from '../support/workflows.ts';

const hourMs = 3_600_000;
const clock = new ManualClock();
const test = useEngine({ clock });

const waitFor = (name: string) => steps([{ op: 'WaitForEvent', name, eventName: 'go' }]);
const waitTwice: Script = (request) =>
  memoOf(request, 'one') ? (memoOf(request, 'two') ? complete('done') : waitFor('two')) : waitFor('one');

async function start(script: Script, engine: EngineContext = test.engine) {
  const projectId = await createTestProject(engine);
  await registerWorkflows(engine, projectId, [{ name: 'flow' }]);
  const dispatcher = await new ScriptedDispatcher(engine, script).start();
  const { runId = '' } = await triggerWorkflow(engine, { projectId, app: 'default', name: 'flow', input: {} });
  const run = () => test.db.prisma.run.findUniqueOrThrow({ where: { id: runId } });
  const work = () => test.db.prisma.runWork.findUnique({ where: { runId } });
  return { projectId, dispatcher, runId, run, work };
}

/**
 * An engine whose database refuses this statement once, so that its writes are missing. The refusal
 * is not transient: the background would repeat the statement.
 */
const refused = (statement: string): EngineContext =>
  createEngine({
    db: beforeStatement(test.db, statement, () => Promise.reject(new Error('refused'))),
    clock,
    log: pino({ level: 'silent' }),
    settings: test.engine.settings,
  });

/** The rows of a process that dies after recording an event. */
async function recordOnly(projectId: string, name: string): Promise<void> {
  await test.db.query({
    text: `
      with recorded as (
        insert into event (id, project_id, app, name, source, received_at, triggered, woke_runs, suspended)
        values (gen_random_uuid(), $1, 'default', $2, 'api', $3, '[]', '{}', false) returning id
      )
      insert into event_pending (event_id, project_id, created_at) select id, $1, $3 from recorded`,
    values: [projectId, name, clock.now()],
  });
}

describe('after the clock was set back', () => {
  it('a dispatcher that died before is found dead, and a live one is not', async () => {
    const { dispatcher: dead, work } = await start(() => complete('done'));
    const living = await start(() => complete('done'));
    expect(await dead.claim()).toHaveLength(2);
    const [here, there] = [
      await living.dispatcher.start(),
      await new ScriptedDispatcher(test.engine, waitTwice).start(),
    ];
    clock.advance(-hourMs);
    expect(await tickDispatcher(test.engine, here.id)).toEqual({ alive: true });
    expect(await work()).toMatchObject({ state: 'leased', leaseId: dead.id });
    const passes = (ms: number) => {
      clock.advance(ms);
      return tickDispatcher(test.engine, there.id);
    };
    expect(await beatAlone(test.engine, here.id, passes)).toEqual({ alive: true });
    expect(await work()).toMatchObject({ state: 'ready', leaseId: null });
    expect(await tickDispatcher(test.engine, there.id)).toEqual({ alive: true });
    await here.runOnce();
  });

  it('dispatchers that beat at once neither wait for each other nor find each other dead', async () => {
    const living = await Promise.all(
      Array.from({ length: 8 }, () => new ScriptedDispatcher(test.engine, waitTwice).start()),
    );
    for (let turn = 0; turn < 10; turn += 1) {
      clock.advance(-hourMs);
      const ticks = await Promise.all(living.map(({ id }) => tickDispatcher(test.engine, id)));
      expect(ticks).toEqual(living.map(() => ({ alive: true })));
    }
  });

  it('an event wakes the run that began to wait before, by a clock that was ahead', async () => {
    const { projectId, dispatcher, run } = await start(waitTwice);
    await dispatcher.runOnce();
    clock.advance(-50_000);
    expect(await sendEvent(test.engine, { projectId, input: { name: 'go' } })).toMatchObject({ woke: 1 });
    await dispatcher.runOnce();
    expect(await run()).toMatchObject({ status: 'waiting' });
  });

  it('an event whose process died before is processed, and wakes its waiters', async () => {
    const { projectId, dispatcher, work } = await start(waitTwice);
    await dispatcher.runOnce();
    await recordOnly(projectId, 'go');
    clock.advance(-hourMs);
    expect(await recoverPending(test.engine)).toBe(1);
    expect(await work()).toMatchObject({ state: 'ready' });
  });

  it('the consequences of a run that ended before are drawn', async () => {
    const { dispatcher, runId } = await start(() => complete('done'));
    await dispatcher.runOnce();
    await test.db.query('insert into run_outcome (run_id, created_at) values ($1, $2)', [runId, clock.now()]);
    clock.advance(-hourMs);
    expect(await recoverConsequences(test.engine)).toBe(1);
    expect(await test.db.prisma.runOutcome.count()).toBe(0);
  });
});

describe('an event that is looked up a second time', () => {
  it('wakes no wait that began after it', async () => {
    const engine = refused('clearPending');
    const { projectId, dispatcher, run } = await start(waitTwice, engine);
    await dispatcher.runOnce();
    expect(await sendEvent(engine, { projectId, input: { name: 'go' } })).toMatchObject({ woke: 1 });
    clock.advance(2_000);
    await dispatcher.runOnce();
    clock.advance(5_000);
    expect(await recoverPending(test.engine)).toBe(1);
    await dispatcher.runOnce();
    expect(await run()).toMatchObject({ status: 'waiting' });
  });
});
