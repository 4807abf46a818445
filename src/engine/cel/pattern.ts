import { RE2JS } from '@bufbuild/re2';
import { BoundedCache } from '../boundedCache.ts';
import { spend } from './budget.ts';

const maxPatternLength = 1000;

/** The maximum number of instructions of a pattern. The time per character grows with them. */
const maxInstructions = 500;

/**
 * The states that a pattern keeps between two matches. Beyond it they are dropped, which limits
 * memory.
 */
const keptStates = 200;

interface Pattern {
  expression: RE2JS;
  instructions: number;
}

const patterns = new BoundedCache<string, Pattern>(500);

/**
 * Whether a part of a text matches a pattern in RE2 syntax, in time linear in the text. Throws on a
 * pattern that is malformed or too large.
 */
export function matches(text: string, source: string): boolean {
  const known = patterns.get(source);
  if (!known) spend(2000 + source.length * 20);
  const { expression, instructions } = known ?? compilePattern(source);
  spend(text.length * (1 + instructions / 32));
  const matched = expression.test(text);
  if (expression.re2().dfa.stateCount > keptStates) expression.reset();
  return matched;
}

/**
 * Compiles and caches a pattern. Throws, with a message for its author, if it is malformed or too
 * large.
 */
export function compilePattern(source: string): Pattern {
  if (source.length > maxPatternLength) throw new Error(`pattern is longer than ${maxPatternLength} characters`);
  const expression = new RE2JS(source);
  const instructions = expression.re2().prog.numInst();
  if (instructions > maxInstructions) throw new Error(`pattern compiles to more than ${maxInstructions} instructions`);
  const pattern = { expression, instructions };
  patterns.set(source, pattern);
  return pattern;
}
