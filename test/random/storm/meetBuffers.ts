import { flushDueBuffers } from '../../../src/engine/admission/index.ts';
import { policiesOf } from '../program/flow.ts';
import { keys, levelOf, startOf } from '../program/program.ts';
import { isBuffered } from '../verdict/withheld.ts';
import { endanger } from './aims.ts';
import { turnsLater } from './meet.ts';
import { startTogether } from './meetFlow.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/**
 * A buffer becomes due, both processes flush it at once, and more starts arrive for it. False if no
 * workflow has buffers.
 */
export async function gather(world: World, pick: number): Promise<boolean> {
  const buffered = [...world.scene.programs.values()].filter(({ flow }) => isBuffered(flow));
  const program = buffered[pick % Math.max(1, buffered.length)];
  if (!program) return false;
  if ((await nextFlush(world)) === null || pick % 4 === 0) await startTogether(world, program, pick);
  const inMs = await nextFlush(world);
  if (inMs !== null) await world.advance(Math.max(0, inMs) + 1);
  const both = await Promise.all([world.processAt(0), world.processAt(1)]);
  const key = keys[(pick >> 2) % 4 === 0 ? 1 : 0];
  const [sender] = both;
  endanger(both[1], policiesOf(program.flow), pick);
  await Promise.all([
    ...both.map((by, place) => turnsLater(world, (pick >> (place * 2)) % 4, () => flush(world, by))),
    pick % 3 > 0 && turnsLater(world, (pick >> 5) % 6, () => world.send(sender, startOf(levelOf(program)), key)),
  ]);
  return true;
}

/** The time until the first of the project's buffers is due, in ms; null without buffers. */
async function nextFlush({ scene: { db, projectId } }: World): Promise<number | null> {
  const text = `select (extract(epoch from min(flush_at) - now()) * 1000)::float8 as in_ms
    from flow_buffer where project_id = $1`;
  const { rows } = await db.query<{ in_ms: number | null }>({ name: 'nextFlush', text, values: [projectId] });
  return rows[0]?.in_ms ?? null;
}

/** A flush of due buffers. */
export async function flush({ scene }: World, process: Process): Promise<void> {
  const report = await process.attempt(() => flushDueBuffers(process.engine));
  if (report && report.flushed > 0) scene.coverage.count('recovery', 'flushed');
}
