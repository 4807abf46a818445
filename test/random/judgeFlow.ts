import { journalOf } from './journal.ts';
import { judgeRates } from './judgeRates.ts';
import { judgeSlots } from './judgeSlots.ts';
import type { Scene } from './process.ts';
import type { RunRecord } from './runRecord.ts';

/** Holds what a case with flow control left behind to its policies. */
export async function judgeFlow(scene: Scene, runs: ReadonlyMap<string, RunRecord>): Promise<void> {
  if (scene.ceiling === 0 && [...scene.programs.values()].every(({ flow }) => flow === undefined)) return;
  const journal = await journalOf(scene);
  judgeSlots(scene, runs, journal);
  judgeRates(scene, runs, journal);
}
