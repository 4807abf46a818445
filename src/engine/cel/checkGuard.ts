import { BoundedCache } from '../boundedCache.ts';
import { HoldfastError, invalid } from '../errors.ts';
import type { Equality } from './equality.ts';
import { compileGuard, type GuardLimits } from './guard.ts';

/** A guard that is valid. */
export interface CheckedGuard {
  /** An equality that every passing event satisfies, if the guard has one. */
  equality: Equality | undefined;
}

type Checked = CheckedGuard | { refused: string };

const checkedBy = new WeakMap<GuardLimits, BoundedCache<string, Checked>>();
const maxCharacters = 8_000_000;

/**
 * Checks a guard like `compileGuard`. The answer is remembered, because a check takes milliseconds,
 * and runners register the same guards again and again.
 */
export function checkGuard(source: string, limits: GuardLimits, { withRun = false } = {}): CheckedGuard {
  const checked = checkedOf(limits);
  const name = `${withRun ? 'run' : ''}\n${source}`;
  let known = checked.get(name);
  if (!known) {
    known = check(source, limits, withRun);
    checked.set(name, known);
  }
  if ('refused' in known) throw invalid(known.refused);
  return known;
}

function check(source: string, limits: GuardLimits, withRun: boolean): Checked {
  try {
    return { equality: compileGuard(source, limits, { withRun }).equality() };
  } catch (error) {
    return { refused: error instanceof HoldfastError ? error.message : 'CEL cannot be compiled' };
  }
}

function checkedOf(limits: GuardLimits): BoundedCache<string, Checked> {
  let checked = checkedBy.get(limits);
  if (!checked) {
    checked = new BoundedCache(maxCharacters, (source) => source.length + 64);
    checkedBy.set(limits, checked);
  }
  return checked;
}
