import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authorEnvironment } from '../../../src/engine/cel/environment.ts';
import { compileGuard } from '../../../src/engine/cel/index.ts';
import { defaultEngineSettings } from '../../../src/engine/settings.ts';

const { limits } = defaultEngineSettings;
const data = { n: 3, m: -2.5, s: 'abc', t: 'b', yes: true, no: false, list: [1, 2, 3], map: { a: 1, b: 2 } };

/**
 * Expressions as authors write them, with or without parentheses. All numbers are doubles: see
 * `evaluateAsWritten`.
 */
const { condition } = fc.letrec<{ number: string; text: string; list: string; condition: string }>((tie) => {
  const number = tie('number');
  const text = tie('text');
  const list = tie('list');
  const condition = tie('condition');
  const infix = (operand: fc.Arbitrary<string>, ...operators: string[]): fc.Arbitrary<string> =>
    fc
      .tuple(operand, fc.constantFrom(...operators), operand, fc.boolean())
      .map(([a, operator, b, wrapped]) => (wrapped ? `(${a} ${operator} ${b})` : `${a} ${operator} ${b}`));
  return {
    number: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('data.n', 'data.m', '1.0', '2.5', '7.0', '0.0', 'data["n"]', 'data.list[0]', '-1.0'),
      infix(number, '+', '-', '*', '/', '%'),
      number.map((each) => `-(${each})`),
      fc.oneof(list, text).map((each) => `double(size(${each}))`),
      fc.tuple(condition, number, number).map(([a, b, c]) => `((${a}) ? ${b} : ${c})`),
    ),
    text: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('data.s', 'data.t', '"b"', "'a\"c'", 'r"\\d"'),
      infix(text, '+'),
      text.map((each) => `(${each}).lowerAscii()`),
    ),
    list: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('data.list', '[1.0, 2.0]', '[]', 'data.list + [4.0]'),
      fc.tuple(list, condition).map(([a, b]) => `(${a}).filter(x, x > 1.0 || ${b})`),
      fc.tuple(list, number).map(([a, b]) => `(${a}).map(x, x + ${b})`),
    ),
    condition: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('data.yes', 'data.no', 'true', 'has(data.n)', 'has(data.x)', 'data.x.y', '"a" in data.map'),
      infix(condition, '&&', '||'),
      infix(number, '==', '!=', '<', '<=', '>', '>='),
      infix(text, '==', '!=', '<'),
      condition.map((each) => `!(${each})`),
      fc.tuple(condition, condition, condition).map(([a, b, c]) => `(${a}) ? ${b} : ${c}`),
      fc.tuple(text, text).map(([a, b]) => `(${a}).contains(${b})`),
      fc.tuple(number, list).map(([a, b]) => `${a} in ${b}`),
      fc.tuple(list, condition).map(([a, b]) => `(${a}).exists(x, x == 2.0 && (${b}))`),
      fc.tuple(list, number).map(([a, b]) => `(${a}).all(x, x < ${b})`),
    ),
  };
});

/**
 * The result of a guard without rewriting; undefined if it is refused or fails. The evaluator gives
 * mixed ints and doubles a static type that the values do not have. Rewritten guards do not have
 * this problem.
 */
function evaluateAsWritten(source: string): boolean | undefined {
  try {
    compileGuard(source, limits);
    return authorEnvironment(limits).parse(source)({ data, event: { data } }) === true;
  } catch {
    return undefined;
  }
}

describe('a guard as it is run', () => {
  it('decides as the guard that was written', () => {
    let compared = 0;
    fc.assert(
      fc.property(condition, (source) => {
        const written = evaluateAsWritten(source);
        if (written === undefined) return;
        compared += 1;
        const event = { id: '', name: '', ts: '', tags: undefined, session: undefined, data };
        expect(compileGuard(source, limits).evaluate(event), source).toBe(written);
      }),
      { numRuns: 2000 },
    );
    expect(compared).toBeGreaterThan(500);
  });
});
