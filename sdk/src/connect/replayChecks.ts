const everyPasses = 50;

/**
 * In development, chooses one pass in 50 of each workflow, the first included, to be replayed in
 * full although its handler is held. A handler whose steps vary between passes is noticed by its
 * replay.
 */
export class ReplayChecks {
  readonly #isOn: boolean;
  readonly #passes = new Map<string, number>();

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.#isOn = environment['NODE_ENV'] !== 'production';
  }

  /** Counts a pass, and tells whether it is to be replayed. */
  isDue(workflow: string): boolean {
    if (!this.#isOn) return false;
    const passes = this.#passes.get(workflow) ?? 0;
    this.#passes.set(workflow, passes + 1);
    return passes % everyPasses === 0;
  }
}
