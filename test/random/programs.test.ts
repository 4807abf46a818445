import { describe, test } from 'vitest';
import { agree } from './kit/agree.ts';
import type { Coverage } from './kit/coverage.ts';
import type { MovedDatabase } from './kit/movedDatabase.ts';
import { tryCases } from './kit/tryCases.ts';
import { predict } from './program/predict.ts';
import { type Program, programs, startOf } from './program/program.ts';
import { heal } from './storm/heal.ts';
import { World } from './storm/world.ts';
import type { RunRecord } from './verdict/runRecord.ts';
import { judge } from './verdict/verdict.ts';

const dayMs = 86_400_000;
const cases = programs({ approvals: true, crons: false, flows: false });

async function survive(moved: MovedDatabase, plan: Program[], coverage: Coverage): Promise<string> {
  const world = await World.open(moved, coverage, plan);
  const first = await world.processAt(0);
  await world.send(first, startOf(0), 'red');
  await heal(world);
  for (const each of await judge(world.scene)) compare(each, world.scene.programs, coverage);
  await world.quiet();
  return world.scene.projectId;
}

/** An undisturbed run ends as predicted. */
function compare(each: RunRecord, all: ReadonlyMap<string, Program>, coverage: Coverage): void {
  const program = all.get(each.workflow);
  const foretold = program && each.on_failure_of === null ? predict(program, all) : undefined;
  coverage.count('foretold', foretold?.status ?? 'nothing');
  // The end of a parent may cancel its child.
  if (!foretold || (each.status === 'cancelled' && each.parent_run_id !== null)) return;
  const told = each.status === 'succeeded' ? { result: each.result } : { message: each.error?.message };
  agree(`the end of run ${each.id} (${each.workflow})`, { status: each.status, ...told }, foretold);
}

const notMet = (coverage: Coverage): string[] => coverage.missing('foretold', ['failed', 'nothing', 'succeeded']);

describe('an undisturbed random program', () => {
  test(
    'comes to the end that it foretells',
    () => tryCases({ name: 'programs', cases, count: 500, survive, notMet, telling: 300 }),
    dayMs,
  );
});
