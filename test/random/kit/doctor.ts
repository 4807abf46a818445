import { pino } from 'pino';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import type { Database } from '../../../src/engine/db/database.ts';
import { runDoctor } from '../../../src/engine/doctor/index.ts';

/** A finding of the doctor. `at` is its case, if known. */
export class Finding extends Error {
  readonly at: number | undefined;

  constructor(message: string, at: number | undefined) {
    super(message);
    this.at = at;
  }
}

/**
 * Checks the projects of former cases by the service's own invariants, several at a time, because a
 * check needs many statements.
 */
export class Doctor {
  readonly #db: Database;
  readonly #patients: number;
  #since = Date.now();
  #waiting = new Map<string, number>();

  constructor(db: Database, patients: number) {
    this.#db = db;
    this.#patients = patients;
  }

  async visit(projectId: string, at: number): Promise<void> {
    this.#waiting.set(projectId, at);
    if (this.#waiting.size >= this.#patients) await this.examine();
  }

  async examine(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const engine = createEngine({ db: this.#db, log: pino({ level: 'silent' }) });
    const windowMs = Date.now() - this.#since + 1_000;
    const waiting = this.#waiting;
    this.#since = Date.now();
    this.#waiting = new Map();
    const { checks } = await runDoctor(engine, { windowMs });
    const found = checks.flatMap(({ check, violations, gaveUp }) => [
      ...violations.map(({ message, projectId }) => ({
        message: `${check}: ${message}`,
        at: waiting.get(projectId ?? ''),
      })),
      ...(gaveUp === undefined ? [] : [{ message: `${check} gave up: ${gaveUp}`, at: undefined }]),
    ]);
    if (found.length === 0) return;
    const lines = found.map(({ message, at }) => `${message} (case ${at ?? 'unknown'})`);
    throw new Finding(`the doctor finds:\n${lines.join('\n')}`, found.find(({ at }) => at !== undefined)?.at);
  }
}
