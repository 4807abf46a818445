import fc from 'fast-check';
import { Coverage } from './coverage.ts';
import { Doctor, Finding } from './doctor.ts';
import { createMovedDatabase, type MovedDatabase } from './movedDatabase.ts';
import { endTrial, settingsOf } from './trialSettings.ts';

/** A fresh database now and then keeps a long trial as quick as a short one. */
const casesPerDatabase = 4_000;
/** Cases whose projects the doctor looks at in one visit. */
const patients = 100;
/** A long trial goes on after a failure, to find out what else fails; up to this many. */
const maxFailures = Number(process.env['RANDOM_MAX_FAILURES'] || 10);
const progressMs = 60_000;

export interface Trial<Case> {
  /** Of the test file, and of the setting that says how many cases to try. */
  name: 'programs' | 'interleavings';
  cases: fc.Arbitrary<Case>;
  /** How many unless RANDOM_COUNT says otherwise. */
  count: number;
  /** Throws if the case shows a violation; answers the project that it left. */
  survive(moved: MovedDatabase, each: Case, coverage: Coverage): Promise<string>;
  /**
   * What cases should have met, and these did not: of fewer than are `telling`, nothing is
   * expected.
   */
  notMet(coverage: Coverage): string[];
  telling: number;
}

/**
 * Tries many cases, each made from a seed of its own: RANDOM_SEED plus its number. A failure names
 * what replays its case, or the smallest found like it where RANDOM_SHRINK=1 asks for one.
 * RANDOM_FROM and RANDOM_COUNT choose the cases; RANDOM_REPORT names a file for what was met.
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

/** A trial under way: its database, and what it came to so far. */
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
      // What a failed case left behind would trouble the next.
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
