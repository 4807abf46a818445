import type { Program } from '../program/program.ts';
import { endanger } from './aims.ts';
import { look } from './budgets.ts';
import { fork, pause, resume } from './controls.ts';
import { agreeThatHandsAreKept } from './hands.ts';
import { answer, turnsLater } from './meet.ts';
import { executing, startTogether } from './meetFlow.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/** The number of runs of a case beyond which no more are started to spend. */
const maxRuns = 8;

/** Runs of a workflow use up its budget or its bucket. False if no workflow has either. */
export async function afford(world: World, process: Process, pick: number): Promise<boolean> {
  const programs = [...world.scene.programs.values()].filter(({ flow }) => flow?.budget ?? flow?.tokenThrottle);
  const program = programs[pick % Math.max(1, programs.length)];
  if (!program) return false;
  await process.claim(3);
  if (!executing(world, program) && (await world.countRuns()) < maxRuns) {
    await startTogether(world, program, pick);
    await process.claim(3);
  }
  for (let passes = 0; passes < 2; passes += 1) {
    const spending = executing(world, program);
    if (spending) await answer(spending);
  }
  if (program.flow?.budget) await exceed(world, program, pick);
  else await drain(world, program, pick);
  return true;
}

interface Spender {
  id: string;
  /** `held`: paused by a budget. */
  state: 'held' | 'paused' | 'open' | 'ended';
}

/** The runs of a workflow. */
async function spendersOf({ scene: { db, projectId } }: World, { name }: Program): Promise<Spender[]> {
  const text = `
    select id, case when ended_at is not null then 'ended' when paused_reason is null then 'open'
      when paused_reason = 'budget' then 'held' else 'paused' end as state
    from run where project_id = $1 and workflow = $2 order by id`;
  return (await db.query<Spender>({ name: 'spendersOf', text, values: [projectId, name] })).rows;
}

const idAt = (runs: readonly Spender[], state: Spender['state'], pick: number): string | undefined => {
  const those = runs.filter((run) => run.state === state);
  return those[pick % Math.max(1, those.length)]?.id;
};

/**
 * Both processes check the budgets, while a run spends and a person pauses or resumes another.
 * Then, when the budget is no longer spent, while a person pauses a run that the budget had paused.
 */
async function exceed(world: World, program: Program, pick: number): Promise<void> {
  const open = pick % 3 === 0 ? idAt(await spendersOf(world, program), 'open', pick >> 2) : undefined;
  await lookTogether(world, program, pick, (by) => stopOrGo(world, by, open, pick >> 3));
  const held = idAt(await spendersOf(world, program), 'held', pick >> 3);
  if (held === undefined) return;
  await world.advance(program.flow?.budget?.windowMs ?? 0);
  await lookTogether(world, program, pick >> 1, (by) => stopOrGo(world, by, held, pick >> 4));
}

async function stopOrGo(world: World, process: Process, runId: string | undefined, pick: number): Promise<void> {
  if (runId === undefined) return;
  await process.attempt(() => (pick % 4 > 0 ? pause(world, process, runId) : resume(world, process, runId)));
}

async function lookTogether(
  world: World,
  program: Program,
  pick: number,
  meanwhile: (by: Process) => Promise<void>,
): Promise<void> {
  const holder = executing(world, program);
  const both = await Promise.all([world.processAt(0), world.processAt(1)]);
  for (const [slot, each] of both.entries()) endanger(each, ['budget'], pick + slot * 2);
  await Promise.all([
    ...both.map((by, slot) => turnsLater(world, (pick >> (slot * 2)) % 4, () => look(world, by))),
    holder && turnsLater(world, pick % 3, () => answer(holder)),
    turnsLater(world, (pick >> 4) % 8, () => meanwhile(both[0])),
  ]);
  await agreeThatHandsAreKept(world.scene);
}

/** Further runs start while the bucket is empty, and while executing runs drain it further. */
async function drain(world: World, program: Program, pick: number): Promise<void> {
  const source = idAt(await spendersOf(world, program), 'ended', pick >> 2);
  const holder = executing(world, program);
  const by = await world.processAt(pick % 2);
  endanger(by, ['tokenThrottle'], pick >> 1);
  await Promise.all([
    holder && turnsLater(world, pick % 4, () => answer(holder)),
    source !== undefined && turnsLater(world, (pick >> 3) % 4, () => by.attempt(() => fork(world, by, source))),
    startTogether(world, program, pick),
  ]);
}
