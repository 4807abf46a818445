import { writeFileSync } from 'node:fs';

const setting = (name: string): number | undefined => {
  const text = process.env[name];
  return text === undefined || text === '' ? undefined : Number(text);
};

/**
 * Which cases to try: RANDOM_SEED, RANDOM_FROM and RANDOM_COUNT, which `npm run test:nightly` sets
 * for each portion.
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
  /** Cases that were tried. */
  count: number;
  /** What was met, by kind and name, and how often. */
  met: Record<string, Record<string, number>>;
  /** What should have been met and was not. It says nothing of fewer cases than are `telling`. */
  notMet: readonly string[];
  telling: number;
}

/**
 * Writes what a trial came to into the file that RANDOM_REPORT names, and throws if it failed. One
 * that met too little fails as well, unless it is a portion of a night: that is asked what all
 * portions together did not meet.
 */
export function endTrial(report: TrialReport, failures: readonly string[]): void {
  const file = process.env['RANDOM_REPORT'];
  if (file) writeFileSync(file, JSON.stringify({ ...report, failures }, null, 1));
  if (failures.length > 0) throw new Error(failures.join('\n\n'));
  const { trial, count, telling, notMet } = report;
  if (!file && count >= telling && notMet.length > 0) throw new Error(`${trial} did not meet ${notMet.join(', ')}`);
}
