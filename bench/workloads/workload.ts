import type { StageOptions } from '../stage.ts';
import type { Measures } from '../stats.ts';

/** How much of everything: a number, or several to measure one after another. */
export type Sizes = Record<string, number | readonly number[]>;

export interface Workload {
  readonly name: string;
  /** One line for the list of workloads. */
  readonly summary: string;
  readonly sizes: Sizes;
  /** Small sizes that only show whether everything works. */
  readonly smoke: Sizes;
  /** Measures once, with the sizes given and its own for the others. */
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

/** After this long a measurement is given up, in ms. */
export const limitMs = 300_000;
