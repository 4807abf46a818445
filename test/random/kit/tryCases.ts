import fc from 'fast-check';
import { Coverage } from './coverage.ts';
import { Doctor, Finding } from './doctor.ts';
import { createMovedDatabase, type MovedDatabase } from './movedDatabase.ts';
import { endTrial, settingsOf } from './trialSettings.ts';

/** A new database now and then keeps a long trial fast. */
const casesPerDatabase = 4_000;
/** The number of cases that the doctor checks together. */
const patients = 100;
/** A long trial continues after a failure to find others, up to this many. */
const maxFailures = Number(process.env['RANDOM_MAX_FAILURES'] || 10);
const progressMs = 60_000;

export interface Trial<Case> {
  /** The test file, and the setting for the number of cases. */
  name: 'programs' | 'interleavings';
  cases: fc.Arbitrary<Case>;
  /** The default number of cases. */
  count: number;
  /** Throws if the case shows a violation. Returns its project. */
  survive(moved: MovedDatabase, each: Case, coverage: Coverage): Promise<string>;
  /** Names that these cases did not meet. Empty for fewer than `telling` cases. */
  notMet(coverage: Coverage): string[];
  telling: number;
}

/**
 * Tries many cases, each from its own seed: RANDOM_SEED plus its number. A failure names how to
 * replay its case. With RANDOM_SHRINK=1 that is the smallest similar one. RANDOM_FROM and
 * RANDOM_COUNT choose the cases. RANDOM_REPORT names a file for the result.
 */
export async function tryCases<Case>(trial: Trial<Case>): Promise<void> {
  const { seed, from, count } = settingsOf(trial.count);
  const course = new Course(trial, seed);
  const startedAt = Date.now();
  let toldAt = startedAt;
  for (let at = from; at < from + count && course.failures.length < maxFailures; at += 1) {
    await course.tryOne(at);
    if (Date.now() - toldAt < progressMs) continue;
    toldAt = Date.now();
    const perSecond = ((at + 1 - from) / ((toldAt - startedAt) / 1000)).toFixed(1);
    console.log(`${trial.name}: ${at + 1 - from} of ${count}, ${perSecond}/s, ${course.failures.length} failures`);
  }
  await course.end();
  const { coverage, tried, failures } = course;
  const { name, telling } = trial;
  const notMet = trial.notMet(coverage);
  endTrial({ trial: name, seed, from, count: tried, met: coverage.report(), notMet, telling }, failures);
}

/** A running trial: its database and its results so far. */
class Course<Case> {
  readonly coverage = new Coverage();
  readonly failures: string[] = [];
  tried = 0;
  readonly #trial: Trial<Case>;
  readonly #seed: number;
  #place: { moved: MovedDatabase; doctor: Doctor; cases: number } | undefined;

  constructor(trial: Trial<Case>, seed: number) {
    this.#trial = trial;
    this.#seed = seed;
  }

  async tryOne(at: number): Promise<void> {
    this.#place ??= await this.#open();
    const place = this.#place;
    this.tried += 1;
    place.cases += 1;
    const property = fc.asyncProperty(this.#trial.cases, async (each) => {
      const projectId = await this.#trial.survive(place.moved, each, this.coverage);
      await place.doctor.visit(projectId, at);
    });
    const isShrinking = process.env['RANDOM_SHRINK'] === '1';
    const options = { seed: this.#seed + at, numRuns: 1, unbiased: true, endOnFailure: !isShrinking };
    const details = await fc.check(property, options);
    if (details.failed) {
      this.#fail(at, details.errorInstance, JSON.stringify(details.counterexample));
      // The rows of a failed case would disturb the next one.
      await this.#close();
    } else if (place.cases >= casesPerDatabase) await this.end();
  }

  async end(): Promise<void> {
    try {
      await this.#place?.doctor.examine();
    } catch (error) {
      this.#fail(undefined, error, '');
    } finally {
      await this.#close();
    }
  }

  #fail(at: number | undefined, cause: unknown, counterexample: string): void {
    const found = cause instanceof Finding;
    const number = found ? cause.at : at;
    const replay = `RANDOM_SEED=${this.#seed} RANDOM_FROM=${number ?? '?'} RANDOM_COUNT=1`;
    const reason = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    const failure = `${this.#trial.name}: case ${number ?? 'unknown'} failed. ${replay} npm test -- test/random/${this.#trial.name}.test.ts\n${reason}\n${found ? '' : counterexample}`;
    this.failures.push(failure);
    console.log(failure);
  }

  async #open() {
    const moved = await createMovedDatabase();
    const isReplay = process.env['RANDOM_COUNT'] === '1';
    return { moved, doctor: new Doctor(moved.db, isReplay ? 1 : patients), cases: 0 };
  }

  async #close(): Promise<void> {
    const place = this.#place;
    this.#place = undefined;
    await place?.moved.close();
  }
}
