import { writeFileSync } from 'node:fs';

const setting = (name: string): number | undefined => {
  const text = process.env[name];
  return text === undefined || text === '' ? undefined : Number(text);
};

/** Which cases to try: RANDOM_SEED, RANDOM_FROM and RANDOM_COUNT, which `npm run test:nightly` sets for each portion. */
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
}

/** Writes what a trial came to into the file that RANDOM_REPORT names, if it does. */
export function reportOf(report: TrialReport, failures: readonly string[]): void {
  const file = process.env['RANDOM_REPORT'];
  if (file) writeFileSync(file, JSON.stringify({ ...report, failures }, null, 1));
}
