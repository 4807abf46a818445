import type { EngineContext } from '../context.ts';
import { nextFire } from '../cron/index.ts';
import type { Definition } from '../model/index.ts';
import type { Steps } from '../slices.ts';
import { readNow } from './sql/readNow.ts';

/** The next instants of schedules, as of the arrival of their registration. */
export type NextFires = ReadonlyMap<string, Date>;

export const cronsOf = ({ triggers }: Definition): string[] =>
  triggers?.flatMap((each) => ('cron' in each ? [each.cron] : [])) ?? [];

/**
 * Searches the next instants of all schedules, equal ones once. That may take seconds, so it comes
 * before the transaction. By the database's clock: this process's clock may be ahead, and would
 * skip instants.
 */
export async function nextFiresOf(
  ctx: EngineContext,
  { projectId, definitions }: { projectId: string; definitions: readonly Definition[] },
): Promise<NextFires> {
  const crons = new Set(definitions.flatMap(cronsOf));
  if (crons.size === 0) return new Map();
  const [row] = await readNow(ctx.db, { now: ctx.clock.sql() });
  if (!row) throw new Error('no time');
  return ctx.slices.run(projectId, search(crons, row.now));
}

function* search(crons: Iterable<string>, now: Date): Steps<NextFires> {
  const found = new Map<string, Date>();
  for (const cron of crons) {
    yield;
    found.set(cron, nextFire(cron, now));
  }
  return found;
}
