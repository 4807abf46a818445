import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Action, actions, storm } from './actions.ts';
import { checkProperty, isReplay } from './checkProperty.ts';
import { Coverage } from './coverage.ts';
import { Doctor } from './doctor.ts';
import { heal } from './heal.ts';
import { expectEverythingMet, noteTransitions } from './met.ts';
import { createMovedDatabase, type MovedDatabase } from './movedDatabase.ts';
import { type Program, programs, startOf } from './program.ts';
import { judge } from './verdict.ts';
import { World } from './world.ts';

const count = Number(process.env['RANDOM_INTERLEAVINGS'] ?? 1000);

const dayMs = 86_400_000;
let moved: MovedDatabase;
const coverage = new Coverage();
beforeAll(async () => {
  moved = await createMovedDatabase();
});
afterAll(() => moved.close());

async function survive(plan: readonly Program[], all: readonly Action[], doctor: Doctor): Promise<void> {
  const world = await World.open(moved, coverage, plan);
  const [first] = world.processes;
  if (!first) throw new Error('no process');
  await world.send(first, startOf(0), 'red');
  await storm(world, all);
  await heal(world);
  await judge(world.scene);
  await world.quiet();
  await noteTransitions(world.scene);
  await doctor.visit(world.scene.projectId);
}

describe('a random program under a random schedule', () => {
  test(
    'comes to the end that its memo implies, everything once, nothing lost',
    async () => {
      const doctor = new Doctor(moved.db);
      const property = fc.asyncProperty(programs({ approvals: true }), actions, (plan, all) =>
        survive(plan, all, doctor),
      );
      await checkProperty('interleavings', property, count);
      await doctor.examine();
      if (process.env['RANDOM_REPORT']) console.log(JSON.stringify(coverage.report(), null, 1));
      if (!isReplay() && count >= 500) expectEverythingMet(coverage);
    },
    dayMs,
  );
});
