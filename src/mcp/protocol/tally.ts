import type { EngineContext } from '../../engine/context.ts';
import { perEngine } from '../../engine/perEngine.ts';

/** How calls of tools end. */
export const outcomes = ['answered', 'asked', 'refused', 'fault'] as const;
export type Outcome = (typeof outcomes)[number];

const talliesOf = perEngine(() => new Map<string, Map<Outcome, number>>());

/** Counts a call. The names of tools are ours, so a stranger adds no label. */
export function countCall(engine: EngineContext, tool: string, outcome: Outcome): void {
  const tallies = talliesOf(engine);
  const counts = tallies.get(tool) ?? new Map<Outcome, number>();
  tallies.set(tool, counts);
  counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
}

/** The calls of this process, by tool and outcome. */
export const callTally = (engine: EngineContext): ReadonlyMap<string, ReadonlyMap<Outcome, number>> =>
  talliesOf(engine);
