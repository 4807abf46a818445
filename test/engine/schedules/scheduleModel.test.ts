import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { nextFire } from '../../../src/engine/cron/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { runDoctor } from '../../../src/engine/doctor/index.ts';
import { updateProject } from '../../../src/engine/projects/index.ts';
import { fireDueSchedules, reanchorSchedules } from '../../../src/engine/schedules/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { registerWorkflows } from '../../support/workflows.ts';

let schedulers: EngineContext[];
const clock = new ManualClock();

const test = useEngine({ clock });
beforeAll(async () => {
  const sibling = () => createEngine({ db: test.db, log: test.engine.log, clock, settings: test.engine.settings });
  schedulers = [test.engine, sibling(), sibling()];
});

const crons = [
  '* * * * *',
  '*/20 * * * * *',
  '7,37 * * * *',
  '0 9 * * mon-fri',
  '0 0 1 * *',
  'CRON_TZ=Europe/Berlin 30 2 * * *',
  'CRON_TZ=America/New_York */30 1 * * *',
  'CRON_TZ=Australia/Lord_Howe 15 2 * * *',
  'CRON_TZ=Asia/Kolkata 5 30 5 * * *',
];
const starts = ['2026-03-28T23:30:00Z', '2026-10-24T23:30:00Z', '2026-03-08T05:30:00Z', '2026-11-01T04:30:00Z'];

/** The schedules of each workflow, as a selection of `crons`. */
type Plan = Record<string, number[]>;

type Action =
  | { kind: 'advance'; ms: number }
  | { kind: 'fire'; schedulers: number }
  | { kind: 'crash'; where: string }
  | { kind: 'setBack'; ms: number }
  | { kind: 'suspend'; suspended: boolean }
  | { kind: 'register'; plan: Plan };

interface Schedule {
  next: Date;
  fired: Date | undefined;
  refused: Date | undefined;
}

/** A small model of schedules. */
class Model {
  readonly schedules = new Map<string, Schedule>();
  readonly instants = new Set<string>();
  isSuspended = false;
  /** The workflows of the runner's last list. It is the only runner, so all others are retired. */
  #awake: string[] = [];

  register(plan: Plan): void {
    for (const [key, schedule] of this.schedules)
      if (nameOf(key) in plan && this.#isRetired(key) && schedule.next <= clock.now())
        schedule.next = nextFire(cronOf(key), clock.now());
    this.#awake = Object.keys(plan);
    const keys = Object.entries(plan).flatMap(([name, picks]) => picks.map((pick) => `${name}|${crons[pick]}`));
    for (const [name] of Object.entries(plan)) {
      for (const key of this.schedules.keys())
        if (key.startsWith(`${name}|`) && !keys.includes(key)) this.schedules.delete(key);
    }
    for (const key of keys) {
      if (this.schedules.has(key)) continue;
      this.schedules.set(key, { next: nextFire(cronOf(key), clock.now()), fired: undefined, refused: undefined });
    }
  }

  #isRetired(key: string): boolean {
    return !this.#awake.includes(nameOf(key));
  }

  fire(): void {
    const now = clock.now();
    for (const [key, schedule] of this.schedules) {
      const instant = (): string => `${key}|${schedule.next.toISOString()}`;
      while (this.instants.has(instant()) && schedule.next <= now) schedule.next = nextFire(cronOf(key), schedule.next);
      if (schedule.next > now) continue;
      if (this.#isRetired(key)) {
        schedule.next = nextFire(cronOf(key), now);
        continue;
      }
      if (this.isSuspended) schedule.refused = now;
      else {
        schedule.fired = now;
        this.instants.add(instant());
      }
      schedule.next = nextFire(cronOf(key), now);
    }
  }

  reanchor(): void {
    const now = clock.now();
    const earlier = (date: Date | undefined) => (date && date > now ? now : date);
    for (const [key, schedule] of this.schedules) {
      const last = Math.max(schedule.fired?.getTime() ?? 0, schedule.refused?.getTime() ?? 0);
      if (last <= now.getTime() + 60_000) continue;
      this.schedules.set(key, {
        next: nextFire(cronOf(key), now),
        fired: earlier(schedule.fired),
        refused: earlier(schedule.refused),
      });
    }
  }
}

const nameOf = (key: string): string => key.split('|')[0] ?? '';
const cronOf = (key: string): string => key.split('|')[1] ?? '';

const plans: fc.Arbitrary<Plan> = fc.dictionary(
  fc.constantFrom('a', 'b', 'c'),
  fc.uniqueArray(fc.nat(crons.length - 1), { maxLength: 3 }),
  { minKeys: 1, maxKeys: 3, noNullPrototype: true },
);
const minuteMs = 60_000;
const actions: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('advance'), ms: fc.nat(90 * minuteMs) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('advance'), ms: fc.nat(6 * 60 * minuteMs) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('advance'), ms: fc.nat(72 * 60 * minuteMs) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('advance'), ms: fc.integer({ min: -1500 * minuteMs, max: 0 }) }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('fire'), schedulers: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('crash'),
      where: fc.constantFrom(
        'ingestIntakes:before',
        'ingestIntakes:after',
        'moveSchedules:before',
        'moveSchedules:after',
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('setBack'), ms: fc.nat(12 * 60 * minuteMs) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('suspend'), suspended: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('register'), plan: plans }) },
);

async function fireAll(engine: EngineContext): Promise<void> {
  while ((await fireDueSchedules(engine)).again);
}

async function perform(action: Action, model: Model, projectId: string): Promise<void> {
  switch (action.kind) {
    case 'advance':
      return clock.advance(action.ms);
    case 'fire':
      model.fire();
      await Promise.all(schedulers.slice(0, action.schedulers).map(fireAll));
      return;
    case 'crash':
      onFailPoint((point) => {
        if (point === action.where) throw new Error('died');
      });
      await fireDueSchedules(test.engine).catch(() => {});
      return onFailPoint(undefined);
    case 'setBack':
      clock.advance(-action.ms);
      model.reanchor();
      await reanchorSchedules(test.engine);
      return;
    case 'suspend':
      model.isSuspended = action.suspended;
      await updateProject(test.engine, { id: projectId, suspended: action.suspended });
      return;
    case 'register':
      model.register(action.plan);
      await register(projectId, action.plan);
  }
}

const register = (projectId: string, plan: Plan): Promise<void> =>
  registerWorkflows(
    test.engine,
    projectId,
    Object.entries(plan).map(([name, picks]) => ({
      name,
      triggers: [{ event: 'never' }, ...picks.map((pick) => ({ cron: crons[pick] ?? '' }))],
    })),
  );

async function observed(projectId: string) {
  const { rows: runs } = await test.db.query(
    `select workflow || '|' || (input ->> 'cron') || '|' || (input ->> 'scheduledAt') as instant from run
     where project_id = $1 order by 1`,
    [projectId],
  );
  const { rows: schedules } = await test.db.query(
    `select w.name || '|' || s.cron as key, s.next_fire_at as next, s.last_fired_at as fired, s.last_refused_at as refused
     from cron_schedule s join workflow w on w.id = s.workflow_id where w.project_id = $1 order by 1`,
    [projectId],
  );
  return { instants: runs.map((row) => row.instant), schedules };
}

const expected = ({ instants, schedules }: Model) => ({
  instants: [...instants].sort(),
  schedules: [...schedules]
    .map(([key, { next, fired, refused }]) => ({ key, next, fired: fired ?? null, refused: refused ?? null }))
    .sort((a, b) => (a.key < b.key ? -1 : 1)),
});

it('schedules fire like a small model under random clock changes, registrations, crashes and rival processes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...starts),
      plans,
      fc.array(actions, { minLength: 5, maxLength: 25 }),
      async (start, plan, list) => {
        await test.db.query('delete from cron_schedule');
        clock.advance(new Date(start).getTime() - clock.now().getTime());
        const projectId = await createTestProject(test.engine);
        const model = new Model();
        for (const action of [{ kind: 'register', plan } as const, ...list, { kind: 'fire', schedulers: 3 } as const]) {
          await perform(action, model, projectId);
        }
        const seen = await observed(projectId);
        const sorted = { ...seen, instants: [...seen.instants].sort(), schedules: sortByKey(seen.schedules) };
        expect(sorted).toEqual(expected(model));
      },
    ),
    { numRuns: 80, interruptAfterTimeLimit: 90_000 },
  );
  const { checks } = await runDoctor(test.engine);
  expect(checks.flatMap(({ check, violations }) => (check.startsWith('cron') ? violations : []))).toEqual([]);
}, 120_000);

const sortByKey = <T extends { key: string }>(rows: T[]): T[] => [...rows].sort((a, b) => (a.key < b.key ? -1 : 1));
