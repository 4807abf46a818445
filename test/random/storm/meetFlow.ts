import { sweepGates } from '../../../src/engine/flow/policies/concurrency/index.ts';
import { policiesOf } from '../program/flow.ts';
import { keys, levelOf, type Program, startOf } from '../program/program.ts';
import { endanger } from './aims.ts';
import { cancel, pause } from './controls.ts';
import { answer, type Holder, holderOf, turnsLater } from './meet.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/** The number of runs of a case beyond which no more are started together. */
const maxRuns = 6;

/**
 * Starts of one workflow with flow control, at the same moment, by both processes. Often one of its
 * runs proceeds at that moment.
 */
export async function rush(world: World, pick: number): Promise<void> {
  const { programs, ceiling } = world.scene;
  const limited = [...programs.values()].filter(({ flow }) => flow !== undefined || ceiling > 0);
  const program = limited[pick % Math.max(1, limited.length)];
  if (program && (await world.countRuns()) < maxRuns) await startTogether(world, program, pick);
}

export async function startTogether(world: World, program: Program, pick: number): Promise<void> {
  const both = await Promise.all([world.processAt(0), world.processAt(1)]);
  const holder = (pick >> 6) % 2 === 0 ? executing(world, program) : undefined;
  endanger(both[1], policiesOf(program.flow), pick);
  await Promise.all([
    holder && turnsLater(world, (pick >> 7) % 4, () => answer(holder)),
    ...both.map((by, place) =>
      turnsLater(world, (pick >> place) % 4, async () => {
        const key = keys[(pick >> (place + 3)) % 4 === 0 ? 1 : 0];
        if (pick % 4 === place) await world.trigger(by, program.name, { hasKey: pick % 2 === 0, key });
        else await world.send(by, startOf(levelOf(program)), key);
      }),
    ),
  ]);
}

/** An executing run of a workflow, if there is one. */
export function executing(world: World, { name }: Program): Holder | undefined {
  const flights = world.processes.flatMap((each) => [...each.flights.values()]);
  const flight = flights.find(({ pass }) => pass.workflow === name);
  return flight && holderOf(world, flight.pass.runId);
}

/**
 * A run releases its slot while another asks for it; or the run that would get the slot is stopped;
 * or the executing process dies.
 */
export async function contend(world: World, process: Process, pick: number): Promise<void> {
  if (!(await queueOf(world)).some(({ state }) => state !== 'leased')) await rush(world, pick);
  await process.claim(3);
  const queue = await queueOf(world);
  const leased = queue.filter(({ state }) => state === 'leased');
  const waiting = queue.filter(({ state }) => state !== 'leased');
  const busy = leased[pick % Math.max(1, leased.length)];
  const waits = waiting[(pick >> 2) % Math.max(1, waiting.length)];
  const holder = busy && holderOf(world, busy.run_id);
  const rival = await world.processAt(holder && world.processes.indexOf(holder.process) === 0 ? 1 : 0);
  if (waits) world.scene.coverage.count('meeting', `${busy ? 'executing' : 'nothing'}, ${waits.state}`);
  if (busy && pick % 4 === 2) {
    await handBack(world, rival);
    return;
  }
  // A process that dies before it opens the gate leaves that to a sweep.
  const opens = waits?.gate === 'ceiling' ? 'openCeilings' : 'openSlots';
  if (holder && waits?.gate && pick % 2 === 1) holder.process.mortal.dieAt(`${opens}:before`);
  await Promise.all([
    holder && turnsLater(world, pick % 5, () => answer(holder)),
    turnsLater(world, (pick >> 3) % 5, () => rival.attempt(() => rival.claim(3))),
    waits && turnsLater(world, (pick >> 5) % 4, () => disturb(world, rival, waits.run_id, pick >> 4)),
  ]);
}

/**
 * The executing process falls silent. Its run is released, and runs before it in the queue take its
 * slot.
 */
async function handBack(world: World, rival: Process): Promise<void> {
  await rival.attempt(async () => {
    await rival.tickAlone((ms) => world.advance(ms));
    await rival.claim(3);
  });
}

interface Queued {
  run_id: string;
  state: string;
  /** The limit that it waits for. */
  gate: 'slot' | 'ceiling' | null;
}

/** The executing runs, and the runs that wait for them. */
async function queueOf({ scene: { db, projectId } }: World): Promise<Queued[]> {
  const text = `
    select run_id, state, gate from run_work where project_id = $1 and state in ('leased', 'ready', 'gated')
    order by run_id`;
  return (await db.query<Queued>({ name: 'queueOfProject', text, values: [projectId] })).rows;
}

async function disturb(world: World, process: Process, runId: string, pick: number): Promise<void> {
  if (pick % 4 === 0) await pause(world, process, runId);
  else if (pick % 8 === 1) await cancel(world, process, runId);
  else if (pick % 4 > 1) await sweep(world, process);
}

/** The sweep for gated runs that could execute. */
export async function sweep({ scene }: World, process: Process): Promise<number> {
  const swept = await process.attempt(() => sweepGates(process.engine));
  const opened = swept?.opened ?? 0;
  if (opened > 0) scene.coverage.count('recovery', 'let in');
  return opened;
}
