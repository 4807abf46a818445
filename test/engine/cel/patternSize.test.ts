import { describe, expect, it } from 'vitest';
import { estimateInstructions } from '../../../src/engine/cel/patternSize.ts';

describe('the estimated size of a pattern', () => {
  it.each([
    ['a+b', 3],
    ['a{1000}b{1000}', 2000],
    ['((a{10}){10}){10}', 1220],
    ['(?:ab|c){2,5}', 30],
    ['(?P<name>a){3}', 9],
    ['[\\pL\\pN]{100}', 100],
    ['[]{1000}]a', 2],
    ['[[:alpha:]]{7}', 7],
    ['\\x{1000}\\p{Greek}{2}', 3],
    ['\\Q{1000}\\Ex', 11],
    ['x{', 2],
    ['((((', 0],
    ['['.repeat(1000), 1],
  ])('of %j is %j', (source, size) => {
    expect(estimateInstructions(source)).toBe(size);
  });
});
