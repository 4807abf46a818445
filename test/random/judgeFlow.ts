import { journalOf } from './journal.ts';
import { judgeBuffers } from './judgeBuffers.ts';
import { judgeKeys } from './judgeKeys.ts';
import { judgePlaces, judgeSkips } from './judgePlaces.ts';
import { judgeRateLimit, judgeThrottle } from './judgeRates.ts';
import { judgeSlots } from './judgeSlots.ts';
import type { Scene } from './process.ts';
import { type Remains, startsOf } from './starts.ts';

/**
 * Holds what a case with flow control left behind to its policies. Answers the runs that they cancelled: those that lost their
 * `singleton` place.
 */
export async function judgeFlow(scene: Scene, { runs, events }: Omit<Remains, 'journal'>): Promise<Set<string>> {
  if (scene.ceiling === 0 && [...scene.programs.values()].every(({ flow }) => flow === undefined)) return new Set();
  const remains: Remains = { runs, events, journal: await journalOf(scene) };
  const starts = startsOf(remains);
  judgeSlots(scene, remains);
  judgeBuffers(scene, remains);
  judgeThrottle(scene, remains);
  judgeRateLimit(scene, starts);
  judgeKeys(scene, remains, starts);
  judgeSkips(scene, remains, starts);
  return judgePlaces(scene, remains);
}
