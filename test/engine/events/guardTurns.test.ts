import { describe, expect, it, vi } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { StoredGuard } from '../../../src/engine/cel/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import type { Queryable } from '../../../src/engine/db/index.ts';
import { recoverPending, sendEvent } from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { Slices } from '../../../src/engine/slices.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { memoOf, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();

/** The engine, on which each guard takes 5 ms. Tests may hold the next turn of its event loop. */
function slowEngine(clock = new ManualClock()) {
  const { db, log, settings } = test.engine;
  const warn = vi.fn();
  const turns = { count: 0, held: undefined as (() => void)[] | undefined };
  let nowMs = 0;
  const nextTurn = (begin: () => void): void => {
    turns.count += 1;
    if (turns.held) turns.held.push(begin);
    else setImmediate(begin);
  };
  const slices = new Slices({
    nowMs: () => {
      nowMs += 5;
      return nowMs;
    },
    nextTurn,
  });
  const engine: EngineContext = {
    ...createEngine({ db, log: Object.assign(Object.create(log), { warn }), clock, settings }),
    slices,
  };
  return { engine, warn, turns };
}

const evaluations = () => vi.spyOn(StoredGuard.prototype, 'evaluate').mockClear();

/** A project with one workflow for each guard, on the event `e`. */
async function guardedBy(engine: EngineContext, guards: string[]): Promise<string> {
  const projectId = await createTestProject(engine);
  const workflows = guards.map((guard, n) => ({ name: `w${n}`, triggers: [{ event: 'e', if: guard }] }));
  await registerWorkflows(engine, projectId, workflows);
  return projectId;
}

const send = (engine: EngineContext, projectId: string, name: string, data: object = { n: 1 }) =>
  sendEvent(engine, { projectId, input: { name, data: RawJson.of(data) } });

describe('the guards of an event', () => {
  it('are all evaluated, most of them in later turns of the event loop', async () => {
    const { engine, turns } = slowEngine();
    const guards = Array.from({ length: 30 }, (_, n) => `data.n < ${n}`);
    const { triggered } = await send(engine, await guardedBy(engine, guards), 'e');
    expect(triggered).toHaveLength(28);
    expect(turns.count).toBeGreaterThanOrEqual(25);
  });

  it('are evaluated once if they are equal, and every workflow has the verdict', async () => {
    const { engine } = slowEngine();
    const projectId = await guardedBy(engine, Array(10).fill('data.n == 1'));
    const evaluated = evaluations();
    expect((await send(engine, projectId, 'e')).triggered).toHaveLength(10);
    expect(evaluated).toHaveBeenCalledTimes(1);
  });

  it('that cost too much are logged once per workflow and minute', async () => {
    const clock = new ManualClock();
    const { engine, warn } = slowEngine(clock);
    const costly = 'data.list.exists(x, data.list.exists(y, x + y == -1))';
    const projectId = await guardedBy(engine, [costly, costly]);
    const data = { list: Array.from({ length: 300 }, (_, n) => n) };
    for (let n = 0; n < 3; n += 1) expect(await send(engine, projectId, 'e', data)).toMatchObject({ triggered: [] });
    const line = { workflow: 'w0', guard: costly, reason: 'costs more than 5 ms' };
    const logged = () => warn.mock.calls.map(([fields]) => fields);
    expect(logged()).toMatchObject([line, { ...line, workflow: 'w1' }]);
    clock.advance(60_000);
    await send(engine, projectId, 'e', data);
    expect(logged().slice(2)).toMatchObject([{ ...line, withheld: 2 }, { withheld: 2 }]);
  });
});

describe('an event whose waits have many guards', () => {
  /** Runs that wait for the events of their inputs. */
  async function waiting(engine: EngineContext, waits: { eventName: string; eventIf?: string }[]): Promise<string> {
    const projectId = await createTestProject(engine);
    await registerWorkflows(engine, projectId, [{ name: 'flow' }]);
    for (const wait of waits) {
      await triggerWorkflow(engine, { projectId, app: 'default', name: 'flow', input: { input: RawJson.of(wait) } });
    }
    const dispatcher = await new ScriptedDispatcher(engine, (request) => {
      const wait = request.event.data as (typeof waits)[number];
      return steps(memoOf(request, 'w') ? [] : [{ op: 'WaitForEvent', name: 'w', ...wait }]);
    }).start();
    await dispatcher.runOnce();
    return projectId;
  }

  /** The same engine, and a promise that resolves when its first statement is answered. */
  function listened(root: EngineContext) {
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const query: Queryable['query'] = async (sent: never): Promise<never> => {
      const rows = await root.db.query(sent);
      answer();
      return rows;
    };
    return { engine: { ...root, root, db: { ...root.db, query } }, answered };
  }

  it('does not delay the other events, and is looked up once', async () => {
    const { engine, turns } = slowEngine();
    const guards = Array.from({ length: 10 }, (_, n) => ({ eventName: 'many', eventIf: `data.n < ${n}` }));
    const projectId = await waiting(engine, [...guards, { eventName: 'plain' }]);
    const evaluated = evaluations();
    turns.held = [];
    const many = send(engine, projectId, 'many');
    expect(await send(engine, projectId, 'plain')).toMatchObject({ woke: 1 });
    await vi.waitFor(() => expect(turns.held).not.toHaveLength(0));
    await test.db.query("update event_pending set created_at = created_at - interval '1 minute'");
    const listing = listened(engine);
    const recovering = recoverPending(listing.engine);
    await listing.answered;
    const { held } = turns;
    turns.held = undefined;
    for (const begin of held) begin();
    expect(await many).toMatchObject({ woke: 8 });
    await recovering;
    expect(evaluated).toHaveBeenCalledTimes(10);
    await vi.waitFor(async () => expect(await test.db.prisma.eventPending.count()).toBe(0));
  });
});
