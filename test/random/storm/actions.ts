import fc from 'fast-check';
import { trace } from '../kit/coverage.ts';
import { drawFrom } from '../kit/turns.ts';
import { aims, aimsOf } from './aims.ts';
import { type MoveKind, moves } from './moves.ts';
import { agreeThatNothingIsUntold } from './untold.ts';
import type { World } from './world.ts';

/** A move of the storm, and the fault of its process. */
export interface Action {
  kind: MoveKind;
  by: number;
  pick: number;
  /**
   * The process dies at this many statements from now, in this move or a later one, or at a
   * statement picked by name; 0 for never.
   */
  dieIn: number;
  /** The connection breaks at this many places from now; 0 for never. */
  breakIn: number;
}

export interface Storm {
  actions: Action[];
  /** The seed of the draw that orders the statements. */
  seed: number;
}

const weights: Record<MoveKind, number> = {
  claim: 10,
  invoke: 3,
  answer: 16,
  meet: 18,
  steal: 3,
  repeat: 1,
  drop: 2,
  tick: 3,
  advance: 5,
  wake: 4,
  strand: 2,
  recover: 1,
  fire: 2,
  runner: 2,
  event: 4,
  start: 1,
  trigger: 3,
  cancel: 1,
  pause: 2,
  resume: 2,
  replay: 1,
  retry: 3,
  cancelAll: 1,
  replayAll: 1,
  decide: 2,
  rush: 0,
  contend: 0,
  gates: 0,
  gather: 0,
  flush: 0,
  afford: 0,
  look: 0,
};

/** The weights with flow control. */
const flowWeights: Partial<Record<MoveKind, number>> = {
  start: 0,
  trigger: 2,
  rush: 4,
  contend: 8,
  gather: 5,
  afford: 8,
  gates: 2,
  flush: 2,
  look: 2,
};

const kinds = Object.keys(moves).filter((kind): kind is MoveKind => kind in moves);

const kindsBy = (weightOf: Record<MoveKind, number>): fc.Arbitrary<MoveKind> =>
  fc.oneof(...kinds.map((kind) => ({ weight: weightOf[kind], arbitrary: fc.constant(kind) })));

const actionBy = (kind: fc.Arbitrary<MoveKind>): fc.Arbitrary<Action> =>
  fc.record({
    kind,
    by: fc.nat({ max: 1 }),
    pick: fc.nat({ max: 1000 }),
    dieIn: fc.oneof(
      { weight: 10, arbitrary: fc.constant(0) },
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 32 }) },
    ),
    breakIn: fc.oneof(
      { weight: 24, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 20 }) },
    ),
  });

/** `hasFlow`: also moves about flow control. */
export const storms = ({ hasFlow }: { hasFlow: boolean }): fc.Arbitrary<Storm> =>
  fc.record({
    actions: fc.array(actionBy(kindsBy(hasFlow ? { ...weights, ...flowWeights } : weights)), {
      minLength: 0,
      maxLength: 24,
      size: 'max',
    }),
    seed: fc.nat(),
  });

/** Makes a move. A dead process is replaced first, and one that dies now falls silent. */
async function move(world: World, { kind, by, pick, dieIn, breakIn }: Action): Promise<void> {
  const process = await world.processAt(by);
  world.scene.coverage.count('move', kind);
  trace('move', { kind, by, pick, dieIn, breakIn });
  if (dieIn % 4 === 1) process.mortal.dieIn(dieIn);
  else if (dieIn > 0) process.mortal.dieAt(`${aimAt(world, pick)}:${dieIn % 2 > 0 ? 'before' : 'after'}`);
  if (breakIn > 0) process.mortal.breakIn(breakIn);
  await process.attempt(() => moves[kind](world, process, pick));
}

/** An important statement; half of the time one of the policies in force. */
function aimAt({ policies }: World, pick: number): string | undefined {
  const own = pick % 2 === 0 ? aimsOf(policies) : [];
  const among = own.length > 0 ? own : aims;
  return among[(pick >> 1) % among.length];
}

/**
 * Plays the storm, up to three moves at a time, one statement at a time, in the order of its seed.
 */
export async function playStorm(world: World, { actions, seed }: Storm): Promise<void> {
  const { turns, coverage } = world.scene;
  await turns.play(
    actions.map((each) => () => move(world, each)),
    drawFrom(seed),
  );
  await agreeThatNothingIsUntold(world.scene);
  if (turns.blocked > 0) coverage.count('race', 'waited for a lock');
}
