import type { StepInfo } from '../execute/runStep.ts';
import { isError } from '../isError.ts';
import { asDeclared } from '../json/asDeclared.ts';

/** What a fake of a step receives: what its body would, and the recorded `input` if it has one. */
export interface FakeInfo extends StepInfo {
  readonly input: unknown;
}

const outcomes: unique symbol = Symbol('outcomes');

/** Different outcomes for the attempts of a step. Made by `perAttempt`. */
export interface PerAttempt {
  readonly [outcomes]: readonly unknown[];
}

/**
 * A fake with one outcome for each attempt; the last one serves all further attempts. Each is a
 * value, a function, or an `Error` to throw.
 *
 * @example
 * ```ts
 * const steps = { 'charge card': perAttempt(new Error('the bank is down'), { id: 'ch_1' }) };
 * ```
 */
export const perAttempt = (first: unknown, ...others: readonly unknown[]): PerAttempt => ({
  [outcomes]: [first, ...others],
});

const isPerAttempt = (fake: unknown): fake is PerAttempt =>
  typeof fake === 'object' && fake !== null && outcomes in fake;

/**
 * The value of a fake: that of a function is what it returns, and an `Error` is thrown. `args` are
 * the arguments of a function.
 */
export function fakedValue(fake: unknown, attempt: number, ...args: readonly unknown[]): unknown {
  if (isPerAttempt(fake)) {
    const all = fake[outcomes];
    return fakedValue(all[Math.min(attempt, all.length) - 1], attempt, ...args);
  }
  if (isError(fake)) throw fake;
  return typeof fake === 'function' ? asDeclared<(...args: readonly unknown[]) => unknown>(fake)(...args) : fake;
}

/** Fakes by name. A repeated id may be named with or without its number (`x:1`, or `x` for all). */
export class Fakes {
  readonly #byName: ReadonlyMap<string, unknown>;
  readonly #unused: Set<string>;

  constructor(byName: Readonly<Record<string, unknown>> = {}) {
    this.#byName = new Map(Object.entries(byName));
    this.#unused = new Set(this.#byName.keys());
  }

  /** Those that nothing has asked for yet, in the order of the test. */
  get unused(): string[] {
    return [...this.#unused];
  }

  get(name: string): { readonly fake: unknown } | undefined {
    const key = this.#keyOf(name);
    if (key === undefined) return undefined;
    this.#unused.delete(key);
    return { fake: this.#byName.get(key) };
  }

  /** Whether a name has a fake. The question does not use it. */
  has(name: string): boolean {
    return this.#keyOf(name) !== undefined;
  }

  #keyOf(name: string): string | undefined {
    return [name, name.replace(/:\d+$/, '')].find((key) => this.#byName.has(key));
  }
}
