import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { restoreWorkflow, retireWorkflow } from '../../../src/engine/control/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { disconnectRunners, settleWorkflows, touchRunners } from '../../../src/engine/runners/index.ts';
import { fireDueSchedules } from '../../../src/engine/schedules/index.ts';
import { useEngine } from '../../support/engine.ts';
import { meet } from '../../support/meeting.ts';
import { openScene, type Scene } from './scene.ts';

const minuteMs = 60_000;
const clock = new ManualClock(new Date('2026-01-01T00:00:30Z'));
const test = useEngine({ clock, settings: { workflowRetireMs: 10 * minuteMs } });
let scene: Scene;

beforeEach(async () => {
  scene = await openScene(test);
});
afterEach(() => onFailPoint(undefined));

const paid = (...names: string[]) => ({ workflows: names.map((name) => ({ name, triggers: [{ event: 'paid' }] })) });

/** The names of the workflows that an event starts. */
const startedBy = async (input: object = { name: 'paid' }): Promise<string[]> => {
  const { triggered } = await sendEvent(test.engine, { projectId: scene.projectId, input });
  return triggered.map(({ workflow }) => workflow);
};

const retired = async (): Promise<string[]> =>
  (await scene.workflows()).flatMap(({ name, retiredAt }) => (retiredAt ? [name] : []));

const connect = async (runner: string, ...names: string[]) => {
  const { connection, registered } = await scene.connect({ runner, ...paid(...names) });
  await registered;
  return connection;
};

type Connection = Awaited<ReturnType<typeof connect>>;

const leave = ({ connectionId }: Connection) => disconnectRunners(test.engine, [connectionId]);

/** Minutes pass. The given runners stay live, and the scheduler takes its turns. */
async function pass(minutes: number, ...live: Connection[]): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    clock.advance(minuteMs);
    await touchRunners(
      test.engine,
      live.map(({ connectionId }) => connectionId),
    );
    await settleWorkflows(test.engine);
  }
}

const hand = (name: string) => ({ projectId: scene.projectId, app: 'shop', name, actor: 'ops' });
const retire = (name: string) => retireWorkflow(test.engine, hand(name));
const restore = (name: string) => restoreWorkflow(test.engine, hand(name));

describe('a workflow that its runner dropped', () => {
  it('is retired by the registration, and woken by the next one that serves it', async () => {
    await scene.register(paid('old'));
    expect(await startedBy()).toEqual(['old']);
    await scene.register(paid('new'));
    expect(await startedBy()).toEqual(['new']);
    expect(await scene.workflows()).toMatchObject([
      { name: 'new', retiredAt: null },
      { name: 'old', retiredAt: clock.now(), retiredBy: null },
    ]);
    await scene.register(paid('old', 'new'));
    expect(await startedBy()).toEqual(['new', 'old']);
    expect(await retired()).toEqual([]);
  });

  it('stays awake while another live runner serves it, also one of the same batch', async () => {
    await connect('r1', 'old');
    await connect('r2', 'old');
    await connect('r1', 'new');
    expect(await retired()).toEqual([]);
    await Promise.all([connect('r2', 'new'), connect('r1', 'new', 'old')]);
    expect(await retired()).toEqual([]);
    await connect('r1', 'new');
    expect(await retired()).toEqual(['old']);
  });

  it('is retired if the other runner that serves it has left, and woken by its return', async () => {
    await leave(await connect('r2', 'old'));
    await connect('r1', 'old');
    await connect('r1', 'new');
    expect(await retired()).toEqual(['old']);
    await connect('r2', 'old');
    expect(await retired()).toEqual([]);
  });

  it('is not touched by registrations of other apps and projects', async () => {
    await scene.register(paid('old'));
    await scene.register({ app: 'other', ...paid('old') });
    await scene.register({ app: 'other', ...paid('new') });
    expect((await scene.workflows()).filter(({ retiredAt }) => retiredAt)).toMatchObject([{ app: 'other' }]);
  });
});

describe('a rolling deployment', () => {
  it('retires nothing while old and new runners come and go, then the former name after a time', async () => {
    const before = await connect('r1', 'old', 'kept');
    const after = await connect('r2', 'new', 'kept');
    await pass(30, before, after);
    await leave(before);
    expect(await retired()).toEqual([]);
    await pass(5, after);
    const back = await connect('r1', 'old', 'kept');
    await pass(11, after, back);
    await leave(back);
    await pass(10, after);
    expect(await retired()).toEqual([]);
    await pass(1, after);
    expect(await retired()).toEqual(['old']);
    await connect('r1', 'old', 'kept');
    expect(await retired()).toEqual([]);
  });

  it('changes nothing for a runner that reconnects with the same list', async () => {
    await leave(await connect('r1', 'old'));
    await connect('r1', 'old');
    expect(await settleWorkflows(test.engine)).toMatchObject({ changed: 0 });
    expect(await retired()).toEqual([]);
  });
});

describe('an app without runners', () => {
  it('keeps its workflows, and gives each the whole time after the first runner is back', async () => {
    const first = await connect('r1', 'one');
    const second = await connect('r2', 'two');
    await leave(second);
    await pass(6, first);
    await leave(first);
    await pass(60);
    const back = await connect('r1', 'one');
    await pass(10, back);
    expect(await retired()).toEqual([]);
    await pass(1, back);
    expect(await retired()).toEqual(['two']);
  });

  it('also keeps those of runners that vanished; a runner seen again wakes what it serves', async () => {
    const alive = await connect('r1', 'one');
    const lost = await connect('r2', 'two');
    await pass(14, alive);
    expect(await retired()).toEqual(['two']);
    await pass(1, alive, lost);
    expect(await retired()).toEqual([]);
    await pass(60);
    expect(await retired()).toEqual([]);
  });
});

describe('a workflow retired by hand', () => {
  it('sleeps until it is restored, while its runners register again and again', async () => {
    await connect('r1', 'old');
    await retire('old');
    await retire('old');
    const runner = await connect('r1', 'old');
    await pass(20, runner);
    expect(await startedBy()).toEqual([]);
    expect(await scene.workflows()).toMatchObject([{ retiredBy: 'ops' }]);
    await restore('old');
    await restore('old');
    expect(await startedBy()).toEqual(['old']);
    const actions = await test.db.prisma.controlAction.findMany({
      where: { projectId: scene.projectId },
      orderBy: { id: 'asc' },
    });
    const detail = { app: 'shop', workflow: 'old' };
    expect(actions).toMatchObject([
      { action: 'retire_workflow', actor: 'ops', detail },
      { action: 'restore_workflow', actor: 'ops', detail },
    ]);
  });

  it('is woken by a runner that serves it again, if none served it', async () => {
    await leave(await connect('r1', 'old'));
    await retire('old');
    expect(await retired()).toEqual(['old']);
    await connect('r1', 'old');
    expect(await startedBy()).toEqual(['old']);
  });

  it('and restored without a runner is kept until a runner has served and dropped it', async () => {
    await connect('r1', 'old');
    const runner = await connect('r1', 'new');
    await restore('old');
    await pass(30, runner);
    await connect('r1', 'new');
    expect(await retired()).toEqual([]);
    await connect('r1', 'old', 'new');
    await connect('r1', 'new');
    expect(await retired()).toEqual(['old']);
  });

  it('is refused if it is not registered', async () => {
    await expect(retire('none')).rejects.toThrow('workflow none is not registered in app shop');
    await expect(restore('none')).rejects.toMatchObject({ kind: 'notFound' });
  });
});

describe('a retired workflow', () => {
  it('still counts as registered: addressed events are recorded, manual triggers start runs', async () => {
    await connect('r1', 'old');
    await retire('old');
    expect(await startedBy({ name: 'paid', targetApp: 'shop' })).toEqual([]);
    const trigger = { projectId: scene.projectId, app: 'shop', name: 'old', input: {} };
    expect(await triggerWorkflow(test.engine, trigger)).toMatchObject({ runId: expect.any(String) });
    await connect('r1', 'new');
    await expect(triggerWorkflow(test.engine, trigger)).rejects.toMatchObject({ kind: 'noRunner' });
  });

  it('passes over the instants of its schedules, also those that no scheduler has passed when it wakes', async () => {
    const workflows = [{ name: 'report', triggers: [{ cron: '* * * * *' }] }];
    const fired = async (): Promise<number> => (await fireDueSchedules(test.engine)).fired;
    await scene.register({ workflows });
    clock.advance(minuteMs);
    expect(await fired()).toBe(1);
    await scene.register(paid('new'));
    clock.advance(minuteMs);
    expect(await fired()).toBe(0);
    clock.advance(3 * minuteMs);
    await scene.register({ workflows });
    expect(await fired()).toBe(0);
    expect((await scene.workflows()).at(-1)?.schedules).toMatchObject([{ lastRefusedAt: null }]);
    clock.advance(minuteMs);
    expect(await fired()).toBe(1);
  });
});

describe('a runner that comes just when its workflow is retired', () => {
  /** `old` has been unserved for long enough. */
  async function overdue(): Promise<void> {
    await leave(await connect('r2', 'old'));
    const runner = await connect('r1', 'new');
    await pass(10, runner);
    clock.advance(minuteMs);
    await touchRunners(test.engine, [runner.connectionId]);
  }

  const sweep = () => settleWorkflows(test.engine);
  const back = () => connect('r2', 'old');

  it.each([
    ['the sweep', 'setRetirements:before', sweep, back],
    ['the sweep', 'bumpRegistry:before', sweep, back],
    ['the registration', 'putRunners:before', back, sweep],
    ['the registration', 'bumpRegistry:after', back, sweep],
  ])('finds it awake, if %s had reached %s', async (_, at, first, second) => {
    await overdue();
    await meet(test.db, { at, first, second });
    expect(await retired()).toEqual([]);
    expect(await startedBy()).toEqual(['new', 'old']);
  });
});
