import type { Scene } from '../storm/process.ts';
import { journalOf } from './journal.ts';
import { judgeBuffers } from './judgeBuffers.ts';
import { judgeKeys } from './judgeKeys.ts';
import { judgePlaces, judgeSkips } from './judgePlaces.ts';
import { judgeRateLimit, judgeThrottle } from './judgeRates.ts';
import { judgeSlots } from './judgeSlots.ts';
import { spentByRun } from './judgeSpend.ts';
import { judgeTokens } from './judgeTokens.ts';
import { type Remains, startsOf } from './starts.ts';

/** The effects of policies on runs. */
export interface Deeds {
  /** Runs that a newer run displaced as the singleton's holder. */
  displaced: ReadonlySet<string>;
  /** By run, the tokens of each of its commits. */
  spent: ReadonlyMap<string, readonly number[]>;
}

/** Checks the final rows of a case with flow control against its policies. */
export async function judgeFlow(scene: Scene, { runs, events }: Omit<Remains, 'journal'>): Promise<Deeds> {
  const hasFlow = scene.ceiling > 0 || [...scene.programs.values()].some(({ flow }) => flow !== undefined);
  if (!hasFlow) return { displaced: new Set(), spent: new Map() };
  const remains: Remains = { runs, events, journal: await journalOf(scene) };
  const starts = startsOf(remains);
  judgeSlots(scene, remains);
  judgeBuffers(scene, remains);
  judgeThrottle(scene, remains);
  judgeRateLimit(scene, starts);
  judgeKeys(scene, remains, starts);
  judgeSkips(scene, remains, starts);
  judgeTokens(scene, remains);
  return { displaced: judgePlaces(scene, remains), spent: spentByRun(remains.journal) };
}
