import { RE2JS } from '@bufbuild/re2';
import { BoundedCache } from '../boundedCache.ts';
import { spend } from './budget.ts';
import { estimateInstructions } from './patternSize.ts';

const maxPatternLength = 1000;

/** The maximum number of instructions of a pattern. The time per character grows with them. */
const maxInstructions = 500;

/** The maximum number of instructions of all patterns in the source of a guard. */
export const maxInstructionsTogether = 1_000;

/** The costs of compiling, in units: an instruction, and a class of Unicode. */
const unitsPerInstruction = 45;
const unitsPerUnicodeClass = 1_000;

/**
 * The states that a pattern keeps between two matches. Beyond it they are dropped, which limits
 * memory.
 */
const keptStates = 200;

/** An estimate counts alternatives with a common beginning several times, so it may be larger. */
const maxEstimate = 5 * maxInstructions;

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
  if (!patterns.get(source)) spend(compilingUnits(source));
  return matchesLiteral(text, source);
}

/**
 * Like `matches`, for a pattern that the guard's source contains. Compiling it again costs nothing:
 * the guard was checked with it, and must not fail because other guards took its place.
 */
export function matchesLiteral(text: string, source: string): boolean {
  const pattern = compilePattern(source);
  spend(text.length * (1 + pattern.instructions / 32));
  const matched = pattern.expression.test(text);
  dropStates(pattern);
  return matched;
}

/**
 * Compiles and caches a pattern. Throws, with a message for its author, if it is malformed or too
 * large.
 */
export function compilePattern(source: string): Pattern {
  const known = patterns.get(source);
  if (known) return known;
  const pattern = newPattern(source);
  patterns.set(source, pattern);
  return pattern;
}

/**
 * Compiles a pattern for its caller alone. Throws as `compilePattern` does. Matching changes the
 * states that a pattern keeps, so a caller that may be interrupted shares none.
 */
export function newPattern(source: string): Pattern {
  if (source.length > maxPatternLength) throw new Error(`pattern is longer than ${maxPatternLength} characters`);
  // Compiling a hundred thousand instructions takes half a second.
  if (estimateInstructions(source) > maxEstimate) throw tooLarge();
  const expression = new RE2JS(source);
  const instructions = expression.re2().prog.numInst();
  if (instructions > maxInstructions) throw tooLarge();
  return { expression, instructions };
}

/** Drops the states of a pattern if there are many, after a match. */
export function dropStates({ expression }: Pattern): void {
  if (expression.re2().dfa.stateCount > keptStates) expression.reset();
}

function compilingUnits(source: string): number {
  const unicodeClasses = source.match(/\\[pP]/g)?.length ?? 0;
  return 2_000 + estimateInstructions(source) * unitsPerInstruction + unicodeClasses * unitsPerUnicodeClass;
}

const tooLarge = (): Error => new Error(`pattern compiles to more than ${maxInstructions} instructions`);
