import { describe, expect, it } from 'vitest';
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

  it('keep digits and keys that a parser would change', () => {
    const read = readEditedArgs(original, '{"cents": 12345678901234567890, "2": 1e400, "1": -0}');
    expect(read.kind === 'edited' && read.args.json).toBe('{"cents":12345678901234567890,"2":1e400,"1":-0}');
  });

  it('are of no use unless they are JSON', () => {
    expect(readEditedArgs(original, '{"cents": }')).toEqual({ kind: 'invalid' });
    expect(readEditedArgs(original, ' ')).toEqual({ kind: 'invalid' });
  });
});
