import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runDoctor } from '../../../../../src/engine/doctor/index.ts';
import { type Key, keys, type Limits, SlotScene, type WorkflowName } from './slotScene.ts';

let scene: SlotScene;

beforeAll(async () => {
  scene = await SlotScene.open();
});
afterAll(() => scene.close());

/** The action of one process, while other processes act. */
type Action =
  | { kind: 'start'; name: WorkflowName; key: Key; count: number }
  | { kind: 'claim'; limit: number }
  | { kind: 'settle'; how: ('end' | 'step' | 'sleep')[] }
  | { kind: 'release' }
  | { kind: 'control'; how: 'pause' | 'resume' | 'cancel'; number: number };

/** An event that involves all processes. */
type Turn = { kind: 'act'; actions: Action[] } | { kind: 'limits'; limits: Limits } | { kind: 'die'; member: number };

const limits: fc.Arbitrary<Limits> = fc.record({
  keyed: fc.integer({ min: 1, max: 3 }),
  whole: fc.integer({ min: 1, max: 3 }),
  ceiling: fc.constantFrom(0, 0, 2, 4),
});
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('start' as const),
      name: fc.constantFrom<WorkflowName>('keyed', 'keyed', 'whole', 'free'),
      key: fc.constantFrom(...keys),
      count: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('claim' as const), limit: fc.integer({ min: 1, max: 8 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      how: fc.array(fc.constantFrom('end', 'end', 'end', 'step', 'sleep'), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('control' as const),
      how: fc.constantFrom('pause', 'resume', 'cancel'),
      number: fc.nat(100),
    }),
  },
);
const turn: fc.Arbitrary<Turn> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('act' as const),
      actions: fc.array(action, { minLength: 3, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('limits' as const), limits }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('die' as const), member: fc.nat(2) }) },
);
const cases = fc.record({ limits, turns: fc.array(turn, { minLength: 5, maxLength: 30 }) });

async function perform(member: SlotScene['members'][number], action: Action): Promise<void> {
  switch (action.kind) {
    case 'start':
      for (let n = 0; n < action.count; n += 1) await scene.start(member, action.name, action.key);
      return;
    case 'claim':
      await scene.claim(member, action.limit);
      return;
    case 'settle':
      for (const how of action.how) await scene.settle(member, how);
      return;
    case 'release':
      return scene.release(member);
    case 'control':
      return scene.control(member, action.how, action.number);
  }
}

/** Whether each of its releases opens gates, without any sweep. */
const isPrompt = (each: Turn): boolean =>
  each.kind === 'act' && each.actions.every(({ kind }) => kind !== 'control' && kind !== 'release');

async function take(each: Turn, current: Limits): Promise<Limits> {
  if (each.kind === 'die') {
    const member = scene.members[each.member];
    if (member) await scene.die(member);
    return current;
  }
  if (each.kind === 'limits') {
    const held = scene.members.map((member) => scene.claim(member, 3));
    await Promise.all([scene.setLimits(each.limits, current), ...held]);
    scene.limitsSettled(each.limits);
    return each.limits;
  }
  await Promise.all(
    each.actions.map((action, number) => {
      const member = scene.members[number];
      return member && perform(member, action);
    }),
  );
  return current;
}

/** Resumes and executes all runs until they end. Fails if that does not terminate. */
async function finish(): Promise<void> {
  const isOpen = async (): Promise<boolean> =>
    (await scene.db.prisma.runWork.count({ where: { projectId: scene.projectId } })) > 0;
  const [first] = scene.members;
  if (!first) throw new Error('nobody is there');
  for (const { engine } of scene.members) engine.registry.invalidate(scene.projectId);
  for (let round = 0; await isOpen(); round += 1) {
    expect(round, 'rounds').toBeLessThan(300);
    for (const [number] of scene.runs.entries()) {
      const run = scene.runs[number];
      const row = run && (await scene.db.prisma.runWork.findUnique({ where: { runId: run.runId } }));
      if (row?.state === 'paused' || row?.pausing) await scene.control(first, 'resume', number);
    }
    await scene.pass(1_000);
    await scene.sweep();
    for (const member of scene.members) {
      await scene.claim(member, 5);
      while (member.held.length > 0) await scene.settle(member, 'end');
    }
  }
}

/** Starts that several processes commit at the same time have no defined order. */
const sideBySideMs = 20;

/**
 * In each slot with a limit of one, runs begin in order of arrival, unless another action changed
 * that.
 */
async function expectOrder(): Promise<void> {
  for (const begun of scene.ledger.begun.values()) {
    const calm = begun.filter((runId) => scene.runs.some((run) => run.runId === runId && !run.isDisturbed));
    const rows = await scene.db.prisma.run.findMany({ where: { id: { in: calm } } });
    const cameAt = new Map(rows.map((run) => [run.id, run.createdAt.getTime()]));
    let latest = Number.NEGATIVE_INFINITY;
    for (const [index, runId] of calm.entries()) {
      const at = cameAt.get(runId) ?? Number.NaN;
      expect(at, `arrival time of the run that began at index ${index}`).toBeGreaterThanOrEqual(latest - sideBySideMs);
      latest = Math.max(latest, at);
    }
  }
}

const numRuns = Number(process.env['RANDOM_COUNT'] || 6);
const seed = Number(process.env['RANDOM_SEED'] || 1);

it('L1, L2, L4: no scope or project ever exceeds its limit, under random actions of several processes, and every run ends', async () => {
  let full = 0;
  await fc.assert(
    fc.asyncProperty(cases, async ({ limits: first, turns }) => {
      await scene.begin(first);
      let current = first;
      for (const each of turns) {
        current = await take(each, current);
        await scene.looked();
        if (!isPrompt(each)) await scene.sweep();
        expect(await scene.forgotten()).toEqual([]);
      }
      await finish();
      const runs = await scene.db.prisma.run.findMany({ where: { projectId: scene.projectId } });
      expect(runs.filter(({ status }) => status !== 'succeeded' && status !== 'cancelled')).toEqual([]);
      expect(runs).toHaveLength(scene.runs.length);
      expect((await runDoctor(scene.engine)).checks.flatMap((check) => check.violations)).toEqual([]);
      full += scene.ledger.full;
    }),
    { numRuns, seed, endOnFailure: process.env['RANDOM_SHRINK'] !== '1' },
  );
  expect(full).toBeGreaterThan(numRuns);
}, 600_000);

it('runs of one scope begin in order of arrival, whichever process claims them', async () => {
  const flow = fc.array(
    fc.array(
      action.filter(({ kind }) => kind !== 'control' && kind !== 'release'),
      { minLength: 3, maxLength: 3 },
    ),
    {
      minLength: 5,
      maxLength: 25,
    },
  );
  await fc.assert(
    fc.asyncProperty(flow, fc.constantFrom(0, 2), async (turns, ceiling) => {
      await scene.begin({ keyed: 1, whole: 1, ceiling });
      for (const actions of turns) {
        await take({ kind: 'act', actions }, { keyed: 1, whole: 1, ceiling });
        await scene.looked();
      }
      await finish();
      await expectOrder();
    }),
    { numRuns, seed, endOnFailure: process.env['RANDOM_SHRINK'] !== '1' },
  );
}, 600_000);
