import { BoundedCache } from '../../boundedCache.ts';
import { dropStates, newPattern } from '../../cel/index.ts';

/** A pattern of a schema, run in time linear in the text. */
export type LinearPattern = (text: string) => boolean;

/** Patterns by their sources; `none` cannot run. Matching changes them. */
let known = new BoundedCache<string, LinearPattern | 'none'>(200);

/** Forgets all patterns. A match that was interrupted may have left one half changed. */
export function forgetPatterns(): void {
  known = new BoundedCache(200);
}

interface Assertion {
  isNegative: boolean;
  source: string;
}

/**
 * A JSON Schema pattern on the linear engine. Undefined if it cannot run there: it looks behind,
 * refers back, or is too large. Patterns that look ahead at their beginning can, because each
 * assertion is a pattern of its own; generators write e-mail addresses so.
 */
export function linearPattern(source: string): LinearPattern | undefined {
  const found = known.get(source) ?? compiled(source) ?? 'none';
  known.set(source, found);
  return found === 'none' ? undefined : found;
}

function compiled(source: string): LinearPattern | undefined {
  const { assertions, rest } = splitAssertions(source);
  try {
    const main = compile(rest);
    const conditions = assertions.map(({ isNegative, source: inner }) => ({
      isNegative,
      holds: compile(`^(?:${inner})`),
    }));
    return (text) => conditions.every(({ isNegative, holds }) => holds(text) !== isNegative) && main(text);
  } catch {
    return undefined;
  }
}

function compile(source: string): LinearPattern {
  const pattern = newPattern(translated(source));
  return (text) => {
    const matched = pattern.expression.test(text);
    dropStates(pattern);
    return matched;
  };
}

/** The engine writes characters by their number differently. */
const translated = (source: string): string =>
  source.replace(/\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|([\s\S]))/g, (whole, long, short) =>
    (long ?? short) === undefined ? whole : `\\x{${long ?? short}}`,
  );

/** Splits off what stands between `^` and the first character to match. */
function splitAssertions(source: string): { assertions: Assertion[]; rest: string } {
  const whole = { assertions: [], rest: source };
  if (!source.startsWith('^(?')) return whole;
  const assertions: Assertion[] = [];
  let at = 1;
  while (source.startsWith('(?!', at) || source.startsWith('(?=', at)) {
    const end = endOfGroup(source, at);
    if (end === undefined) return whole;
    assertions.push({ isNegative: source[at + 2] === '!', source: source.slice(at + 3, end) });
    at = end + 1;
  }
  const rest = source.slice(at);
  // Another alternative would be free of the assertions.
  return hasAlternatives(rest) ? whole : { assertions, rest: `^${rest}` };
}

/** Characters with a meaning for groups: escapes, classes, parentheses and alternatives. */
const tokens = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|[()|]/g;

function endOfGroup(source: string, start: number): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of source.slice(start).matchAll(tokens)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (depth === 0) return start + index;
  }
  return undefined;
}

function hasAlternatives(source: string): boolean {
  let depth = 0;
  for (const [token] of source.matchAll(tokens)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (token === '|' && depth === 0) return true;
  }
  return false;
}
