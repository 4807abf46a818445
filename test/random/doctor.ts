import { pino } from 'pino';
import type { Database } from '../../src/engine/db/database.ts';
import { runDoctor } from '../../src/engine/doctor/index.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { isReplay } from './checkProperty.ts';

const patients = 25;

/** Holds the projects of former cases to the service's own invariants, several at a time: a visit costs many questions. */
export class Doctor {
  readonly #db: Database;
  readonly #everyCase: boolean;
  #since = Date.now();
  #waiting: string[] = [];

  constructor(db: Database, everyCase = isReplay()) {
    this.#db = db;
    this.#everyCase = everyCase;
  }

  async visit(projectId: string): Promise<void> {
    this.#waiting.push(projectId);
    if (this.#everyCase || this.#waiting.length >= patients) await this.examine();
  }

  async examine(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const engine = createEngine({ db: this.#db, log: pino({ level: 'silent' }) });
    const windowMs = Date.now() - this.#since + 1_000;
    const waiting = this.#waiting;
    this.#since = Date.now();
    this.#waiting = [];
    const { checks } = await runDoctor(engine, { windowMs });
    const found = checks.flatMap(({ check, violations, gaveUp }) => [
      ...violations.map(({ message, projectId }) => `${check}: ${message} (case ${this.#caseOf(waiting, projectId)})`),
      ...(gaveUp === undefined ? [] : [`${check} gave up: ${gaveUp}`]),
    ]);
    if (found.length > 0) throw new Error(`the doctor finds:\n${found.join('\n')}`);
  }

  #caseOf(waiting: string[], projectId: string | undefined): string {
    const position = waiting.indexOf(projectId ?? '');
    return position < 0 ? 'unknown' : `${waiting.length - 1 - position} before the last`;
  }
}
