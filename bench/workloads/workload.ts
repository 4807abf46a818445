import type { StageOptions } from '../stage.ts';
import type { Measures } from '../stats.ts';

/** The sizes of a workload: a number, or several that are measured in turn. */
export type Sizes = Record<string, number | readonly number[]>;

export interface Workload {
  readonly name: string;
  readonly summary: string;
  readonly sizes: Sizes;
  /** Small sizes that only show that the workload runs. */
  readonly smoke: Sizes;
  /** Measures once, with the given sizes and its defaults for the others. */
  measure(given: Sizes, options: StageOptions): Promise<Measures>;
}

interface WorkloadDefinition<Own extends Sizes> {
  name: string;
  summary: string;
  sizes: Own;
  smoke: Partial<Own> & Sizes;
  measure(sizes: Own, options: StageOptions): Promise<Measures>;
}

export function defineWorkload<Own extends Sizes>(definition: WorkloadDefinition<Own>): Workload {
  return {
    ...definition,
    measure: (given, options) => definition.measure({ ...definition.sizes, ...given }, options),
  };
}

/** A measurement fails after this time, in ms. */
export const limitMs = 300_000;
