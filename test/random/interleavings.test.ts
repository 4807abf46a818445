import fc from 'fast-check';
import { describe, test } from 'vitest';
import type { Coverage } from './kit/coverage.ts';
import type { MovedDatabase } from './kit/movedDatabase.ts';
import { tryCases } from './kit/tryCases.ts';
import { ceilings } from './program/flow.ts';
import { type Program, programs, startOf } from './program/program.ts';
import { playStorm, type Storm, storms } from './storm/actions.ts';
import { deliver } from './storm/deliver.ts';
import { heal } from './storm/heal.ts';
import { notMet } from './storm/met.ts';
import { World } from './storm/world.ts';
import { judge } from './verdict/verdict.ts';

const dayMs = 86_400_000;

interface Case {
  plan: Program[];
  ceiling: number;
  storm: Storm;
}

/** Half of the cases have no flow control, so that other races stay as likely as without it. */
const cases: fc.Arbitrary<Case> = fc.oneof(
  ...[false, true].map((hasFlow) =>
    fc.record({
      plan: programs({ approvals: true, crons: true, flows: hasFlow }),
      ceiling: hasFlow ? ceilings : fc.constant(0),
      storm: storms({ hasFlow }),
    }),
  ),
);

async function survive(moved: MovedDatabase, { plan, ceiling, storm }: Case, coverage: Coverage): Promise<string> {
  const world = await World.open(moved, coverage, plan, { ceiling, hasEndpoint: storm.seed % 4 === 0 });
  const first = await world.processAt(0);
  await world.send(first, startOf(0), 'red');
  await playStorm(world, storm);
  await heal(world);
  await deliver(world, storm.seed);
  await judge(world.scene);
  await world.close();
  return world.scene.projectId;
}

describe('a random program under a random schedule', () => {
  test(
    'comes to the end that its memo implies, everything once, nothing lost',
    () => tryCases({ name: 'interleavings', cases, count: 1_000, survive, notMet, telling: 1_000 }),
    dayMs,
  );
});
