import { writeFileSync } from 'node:fs';

const setting = (name: string): number | undefined => {
  const text = process.env[name];
  return text === undefined || text === '' ? undefined : Number(text);
};

/**
 * Which cases to try, by RANDOM_SEED, RANDOM_FROM and RANDOM_COUNT. `npm run test:nightly` sets
 * them for each portion.
 */
export const settingsOf = (usualCount: number): { seed: number; from: number; count: number } => ({
  seed: setting('RANDOM_SEED') ?? 20_261_121,
  from: setting('RANDOM_FROM') ?? 0,
  count: setting('RANDOM_COUNT') ?? usualCount,
});

export interface TrialReport {
  trial: string;
  seed: number;
  from: number;
  /** The number of cases. */
  count: number;
  /** The names that were met, by kind, and how often. */
  met: Record<string, Record<string, number>>;
  /** Names that were not met. Meaningless for fewer than `telling` cases. */
  notMet: readonly string[];
  telling: number;
}

/**
 * Writes the result of a trial into the file RANDOM_REPORT, and throws if it failed. A trial that
 * met too little fails too. A portion of a night does not, because only all portions together must
 * meet everything.
 */
export function endTrial(report: TrialReport, failures: readonly string[]): void {
  const file = process.env['RANDOM_REPORT'];
  if (file) writeFileSync(file, JSON.stringify({ ...report, failures }, null, 1));
  if (failures.length > 0) throw new Error(failures.join('\n\n'));
  const { trial, count, telling, notMet } = report;
  if (!file && count >= telling && notMet.length > 0) throw new Error(`${trial} did not meet ${notMet.join(', ')}`);
}
