import type { FlowControl } from '@holdfast/sdk/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createEngine } from '../../../../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../../../../src/engine/clock.ts';
import type { EngineContext } from '../../../../../src/engine/context.ts';
import { onFailPoint } from '../../../../../src/engine/db/failPoints.ts';
import { runDoctor } from '../../../../../src/engine/doctor/index.ts';
import type { Pass } from '../../../../../src/engine/passes/index.ts';
import { checkProperty } from '../../../../random/kit/checkProperty.ts';
import { useEngine } from '../../../../support/engine.ts';
import { type Command, openScene, spend } from './scene.ts';

const clock = new ManualClock(new Date('2026-11-21T12:00:00.000Z'));

const service = useEngine({ clock });

type Policy = FlowControl['budget'];

type Move =
  | { kind: 'start'; commands: Command[] }
  | { kind: 'claim' }
  /** Executes all ready runs and the passes in flight as far as possible. */
  | { kind: 'work' }
  /** Executes one pass in flight as far as possible. */
  | { kind: 'drive'; which: number }
  | { kind: 'person'; does: 'pause' | 'resume'; which: number; duringCheck: boolean }
  /**
   * A check by one scheduler, or by both at once. A scheduler may crash at one of its own writes.
   */
  | { kind: 'check'; by: 'one' | 'both'; diesAt: number | undefined }
  | { kind: 'register'; budget: Policy }
  | { kind: 'wait'; ms: number };

const windowMs = 10_000;

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.nat(4).chain((n) => fc.constantFrom(spend(n * 10), spend(n * 10, n / 10))) },
  { weight: 1, arbitrary: fc.constantFrom({ sleepMs: 1 }, { sleepMs: 5000 }) },
);

const policies: fc.Arbitrary<Policy> = fc.constantFrom(
  undefined,
  { maxTokens: 20, windowMs },
  { maxTokens: 30, windowMs },
  { maxTokens: 100, windowMs, warnAtPct: 50 },
  { maxTokens: 40, windowMs: 2 * windowMs, warnAtPct: 90 },
  { maxCost: 0.3, windowMs },
  { maxTokens: 1000, maxCost: 0.2, windowMs },
);

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('start' as const),
      commands: fc.array(command, { minLength: 1, maxLength: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'claim' as const }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'work' as const }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('drive' as const), which: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('person' as const),
      does: fc.constantFrom('pause' as const, 'resume' as const),
      which: fc.nat(9),
      duringCheck: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('check' as const),
      by: fc.constantFrom('one' as const, 'both' as const),
      diesAt: fc.option(fc.nat(10), { nil: undefined, freq: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('register' as const), budget: policies }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 3000, windowMs - 1, windowMs) }),
  },
);

const cases = fc.record({ budget: policies, moves: fc.array(move, { minLength: 20, maxLength: 60, size: 'max' }) });

/** The state of a case, checked against the rules. */
class Trial {
  readonly #scene: Awaited<ReturnType<typeof openScene>>;
  readonly #schedulers: EngineContext[];
  #policy: Policy;
  readonly #flying: Pass[] = [];
  /** Runs that a person paused last. Only a person may resume them. */
  readonly #byHand = new Set<string>();
  /**
   * Set if the last check found the budget spent: the runs that may execute until the next check.
   */
  #allowed: Set<string> | undefined;

  constructor(scene: Awaited<ReturnType<typeof openScene>>, schedulers: EngineContext[], policy: Policy) {
    this.#scene = scene;
    this.#schedulers = schedulers;
    this.#policy = policy;
  }

  async take(move: Move): Promise<void> {
    switch (move.kind) {
      case 'start':
        return this.#start(move.commands);
      case 'claim':
        return this.#claim();
      case 'work':
        await this.#claim();
        while (this.#flying.length > 0) await this.#drive(0);
        return;
      case 'drive':
        return this.#drive(move.which);
      case 'person':
        return this.#person(move);
      case 'check':
        return this.#check(move);
      case 'register':
        this.#policy = move.budget;
        return this.#scene.register(move.budget ? { budget: move.budget } : {});
      case 'wait':
        return this.#scene.pass(move.ms);
    }
  }

  async #start(commands: Command[]): Promise<void> {
    const runId = await this.#scene.start(...commands);
    this.#allowed?.add(runId);
  }

  async #claim(): Promise<void> {
    const passes = await this.#scene.dispatcher.claim();
    // Between two checks, only runs that started after the first one, or that a person resumed, may
    // begin.
    for (const pass of passes) if (this.#allowed) expect(this.#allowed).toContain(pass.runId);
    this.#flying.push(...passes);
  }

  async #drive(which: number): Promise<void> {
    const [pass] = this.#flying.splice(which % Math.max(1, this.#flying.length), 1);
    if (pass) await this.#scene.dispatcher.drive(pass);
  }

  async #person({ does, which, duringCheck }: Extract<Move, { kind: 'person' }>): Promise<void> {
    const open = await this.#open();
    const runId = open[which % Math.max(1, open.length)]?.id;
    if (runId === undefined) return;
    const unlessConflict = (error: { kind?: string }): undefined => {
      if (error.kind !== 'conflict') throw error;
    };
    const [answer] = await Promise.all([
      this.#scene[does](runId).catch(unlessConflict),
      duringCheck ? this.#scene.check(this.#schedulers[1]) : undefined,
    ]);
    if (does === 'pause') this.#byHand.add(runId);
    else if (answer) this.#byHand.delete(runId);
    if (does === 'resume') this.#allowed?.add(runId);
    // A start during the check proves nothing, because either may have come first.
    if (duringCheck) this.#allowed = undefined;
    await this.#keepsHands();
  }

  async #check({ by, diesAt }: Extract<Move, { kind: 'check' }>): Promise<void> {
    if (diesAt !== undefined) await this.#dieAt(diesAt);
    await Promise.all(this.#schedulers.slice(0, by === 'both' ? 2 : 1).map((each) => this.#scene.check(each)));
    // The scheduler that found the lock taken may have been called last.
    if (by === 'both') await this.#scene.check();
    const isSpent = await this.#isSpent();
    for (const { id, pausedReason } of await this.#open()) {
      const expected = this.#byHand.has(id) ? 'manual' : isSpent ? 'budget' : null;
      expect([id, pausedReason]).toEqual([id, expected]);
    }
    this.#allowed = isSpent ? new Set() : undefined;
    await this.#keepsHands();
  }

  /** The next check completes the work of a crashed one. */
  async #dieAt(index: number): Promise<void> {
    let left = index;
    onFailPoint(() => {
      left -= 1;
      if (left < 0) throw new Error('dead');
    });
    await this.#scene.check(this.#schedulers[1]).catch((error: unknown) => {
      if (!(error instanceof Error) || error.message !== 'dead') throw error;
    });
    onFailPoint(undefined);
    await this.#keepsHands();
  }

  /** 2.2: no budget resumes a run that a person paused. */
  async #keepsHands(): Promise<void> {
    for (const { id, pausedReason } of await this.#open()) {
      if (this.#byHand.has(id)) expect([id, pausedReason]).toEqual([id, 'manual']);
    }
  }

  async #isSpent(): Promise<boolean> {
    const policy = this.#policy;
    if (!policy) return false;
    const since = new Date(clock.now().getTime() - policy.windowMs);
    const { projectId } = this.#scene;
    const calls = await service.db.prisma.aiUsage.findMany({ where: { projectId, createdAt: { gt: since } } });
    const tokens = calls.reduce((sum, call) => sum + Number(call.tokensIn), 0);
    const cents = calls.reduce((sum, call) => sum + Math.round((call.cost ?? 0) * 100), 0);
    return tokens >= (policy.maxTokens ?? Infinity) || cents >= Math.round((policy.maxCost ?? Infinity) * 100);
  }

  #open() {
    return service.db.prisma.run.findMany({
      where: { projectId: this.#scene.projectId, endedAt: null },
      orderBy: { id: 'asc' },
    });
  }

  /** Without a budget, and without a person's pause, all runs end. */
  async heal(): Promise<void> {
    await this.take({ kind: 'register', budget: undefined });
    await this.#scene.check();
    for (const runId of this.#byHand) await this.#scene.resume(runId).catch(() => undefined);
    for (let pass = this.#flying.pop(); pass; pass = this.#flying.pop()) await this.#scene.dispatcher.drive(pass);
    for (let turn = 0; turn < 10; turn += 1) {
      await this.#scene.dispatcher.runOnce();
      await this.#scene.pass(5000);
    }
    expect(await this.#open()).toEqual([]);
    await this.#scene.check();
    const left = await service.db.prisma.flowBudget.count({ where: { projectId: this.#scene.projectId } });
    expect(left).toBe(0);
    expect((await runDoctor(service.engine)).checks.flatMap((each) => each.violations)).toEqual([]);
  }
}

async function check({ budget, moves }: { budget: Policy; moves: Move[] }): Promise<void> {
  const { db, engine } = service;
  await db.query('delete from run_work');
  await db.query('delete from run');
  const scene = await openScene(service, budget ? { budget } : {}, { clock });
  const { log, settings } = engine;
  const trial = new Trial(scene, [engine, createEngine({ db, log, clock, settings })], budget);
  for (const each of moves) await trial.take(each);
  await trial.heal();
}

it('a budget pauses and resumes runs by the rules under random checks, crashes, pauses and resumes', async () => {
  await checkProperty('budgetModel', fc.asyncProperty(cases, check), 40);
}, 240_000);
