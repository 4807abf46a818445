import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agree } from './agree.ts';
import { checkProperty, isReplay } from './checkProperty.ts';
import { Coverage } from './coverage.ts';
import { Doctor } from './doctor.ts';
import { heal } from './heal.ts';
import { createMovedDatabase, type MovedDatabase } from './movedDatabase.ts';
import { predict } from './predict.ts';
import { type Program, programs, startOf } from './program.ts';
import { judge, type RunRecord } from './verdict.ts';
import { World } from './world.ts';

const count = Number(process.env['RANDOM_PROGRAMS'] ?? 500);
const dayMs = 86_400_000;

let moved: MovedDatabase;
const coverage = new Coverage();
beforeAll(async () => {
  moved = await createMovedDatabase();
});
afterAll(() => moved.close());

async function run(plan: readonly Program[], doctor: Doctor): Promise<void> {
  const world = await World.open(moved, coverage, plan);
  const [first] = world.processes;
  if (!first) throw new Error('no process');
  await world.send(first, startOf(0), 'red');
  await heal(world);
  for (const each of await judge(world.scene)) compare(each, world.scene.programs);
  await doctor.visit(world.scene.projectId);
}

/** Undisturbed, a run ends as its program foretells. */
function compare(each: RunRecord, all: ReadonlyMap<string, Program>): void {
  const program = all.get(each.workflow);
  const foretold = program && each.on_failure_of === null ? predict(program, all) : undefined;
  coverage.count('foretold', foretold?.status ?? 'nothing');
  // The end of a parent may take a child with it.
  if (!foretold || (each.status === 'cancelled' && each.parent_run_id !== null)) return;
  const told = each.status === 'succeeded' ? { result: each.result } : { message: each.error?.message };
  agree(`the end of run ${each.id} (${each.workflow})`, { status: each.status, ...told }, foretold);
}

describe('a random program that nobody disturbs', () => {
  test(
    'comes to the end that it foretells',
    async () => {
      const doctor = new Doctor(moved.db);
      const property = fc.asyncProperty(programs({ approvals: true }), (plan) => run(plan, doctor));
      await checkProperty('programs', property, count);
      await doctor.examine();
      if (process.env['RANDOM_REPORT']) console.log(JSON.stringify(coverage.report(), null, 1));
      if (!isReplay()) expect(coverage.of('foretold')).toEqual(['failed', 'nothing', 'succeeded']);
    },
    dayMs,
  );
});
