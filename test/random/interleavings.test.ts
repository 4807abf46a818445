import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Action, actions, storm } from './actions.ts';
import { checkProperty } from './checkProperty.ts';
import { Coverage } from './coverage.ts';
import { Doctor } from './doctor.ts';
import { heal } from './heal.ts';
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

const T: [number, number, number, number, number, number] = [0, 0, 0, 0, 0, 0];
afterAll(() => console.log(T.map((x) => x / T[5])));
async function survive(plan: readonly Program[], all: readonly Action[], doctor: Doctor): Promise<void> {
  const t0 = performance.now();
  const world = await World.open(moved, coverage, plan);
  const [first] = world.processes;
  if (!first) throw new Error('no process');
  await world.send(first, startOf(0), 'red');
  const t1 = performance.now();
  await storm(world, all);
  const t2 = performance.now();
  await heal(world);
  const t3 = performance.now();
  await judge(world.scene);
  await world.quiet();
  const t4 = performance.now();
  await doctor.visit(world.scene.projectId);
  const t5 = performance.now();
  T[0] += t1 - t0;
  T[1] += t2 - t1;
  T[2] += t3 - t2;
  T[3] += t4 - t3;
  T[4] += t5 - t4;
  T[5] += 1;
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
      expect(coverage.of('status')).toEqual(['cancelled', 'failed', 'succeeded']);
    },
    dayMs,
  );
});
