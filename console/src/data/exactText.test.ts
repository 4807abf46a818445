import { describe, expect, it } from 'vitest';
import { compactJson, ExactText, printBody } from './exactText.ts';

describe('JSON that a person wrote', () => {
  it('goes out with its digits, the order of its keys and their repeats', () => {
    const text = '{ "b": 1e400, "a": -0,\n "2": 12345678901234567890, "1": 1.50, "b": "x  y" }';
    expect(printBody({ variables: { input: { name: 'paid', data: new ExactText(text) } } })).toBe(
      '{"variables":{"input":{"name":"paid","data":{"b":1e400,"a":-0,"2":12345678901234567890,"1":1.50,"b":"x  y"}}}}',
    );
  });

  it('stands where it belongs beside other JSON, with dollar signs and marks in it', () => {
    const body = { a: new ExactText('"$1 $&"'), b: 'exact 0.5 0', c: [new ExactText('[ 1 ]')], d: undefined };
    expect(printBody(body)).toBe('{"a":"$1 $&","b":"exact 0.5 0","c":[[1]]}');
  });

  it('loses only the white space between tokens', () => {
    expect(compactJson('{\r\n\t"a b" : "c \\" d" }')).toBe('{"a b":"c \\" d"}');
  });

  it('is no text that is not JSON', () => {
    expect(() => new ExactText('{"a": 1} }')).toThrow(SyntaxError);
  });
});
