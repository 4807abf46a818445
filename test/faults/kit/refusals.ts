/** deadlock_detected, lock_not_available, serialization_failure. */
const states = ['40P01', '55P03', '40001'];
/** Of so many times that a statement is sent, one is refused: who tries again soon gets on. */
const every = 3;

/**
 * Which statements PostgreSQL is to refuse, and with what: each that is sent often enough meets
 * each error.
 */
export class Refusals {
  readonly #rounds: number;
  readonly #sent = new Map<string, number>();
  readonly #refused = new Map<string, number>();
  #isOn = false;

  /** Each statement meets each error so many times. */
  constructor(rounds: number) {
    this.#rounds = rounds;
  }

  begin(): void {
    this.#isOn = true;
  }

  end(): void {
    this.#isOn = false;
  }

  get total(): number {
    return [...this.#refused.values()].reduce((sum, each) => sum + each, 0);
  }

  /** Those of the statements that have not met all errors yet. */
  without(names: readonly string[]): string[] {
    return names.filter((name) => (this.#refused.get(name) ?? 0) < states.length * this.#rounds);
  }

  /** The error for a statement that is about to be executed, if it is to have one. */
  choose(statement: string): string | undefined {
    const name = nameOf(statement);
    if (!this.#isOn || name === undefined) return undefined;
    const sent = (this.#sent.get(name) ?? 0) + 1;
    this.#sent.set(name, sent);
    const refused = this.#refused.get(name) ?? 0;
    if (sent % every !== every - 1 || refused >= states.length * this.#rounds) return undefined;
    this.#refused.set(name, refused + 1);
    return states[refused % states.length];
  }
}

/**
 * Prepared statements, and commits. What begins a transaction, undoes it, or sets up a connection,
 * is left alone.
 */
function nameOf(statement: string): string | undefined {
  if (/^commit\b/i.test(statement)) return 'commit';
  return /\s/.test(statement) || /^(begin|rollback)$/i.test(statement) ? undefined : statement;
}
