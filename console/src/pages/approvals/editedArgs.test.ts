import { describe, expect, it } from 'vitest';
import { printExact } from '../../data/exactJson.ts';
import { readEditedArgs } from './editedArgs.ts';

const original = '{"orderId":"o 1","cents":12000}';

describe('edited arguments', () => {
  it('are unchanged if only the space between tokens differs', () => {
    expect(readEditedArgs(original, undefined)).toEqual({ kind: 'unchanged' });
    expect(readEditedArgs(original, '{\n  "orderId": "o 1",\n  "cents": 12000\n}')).toEqual({ kind: 'unchanged' });
  });

  it('differ by a space within a string', () => {
    expect(readEditedArgs(original, '{"orderId":"o  1","cents":12000}').kind).toBe('edited');
  });

  // Node 20 lacks the source text of the reviver.
  it.runIf('rawJSON' in JSON)('keep digits that a double would lose', () => {
    const read = readEditedArgs(original, '{"cents": 12345678901234567890}');
    expect(read.kind === 'edited' && printExact(read.args)).toBe('{"cents":12345678901234567890}');
  });

  it('tell why they are no JSON', () => {
    const read = readEditedArgs(original, '{"cents": }');
    expect(read.kind === 'invalid' && read.error).toMatch(/^This is no JSON: /);
  });
});
