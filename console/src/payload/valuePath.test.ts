import { describe, expect, it } from 'vitest';
import { indentJson } from './indentJson.ts';
import { valuePath } from './valuePath.ts';

const text = indentJson(
  JSON.stringify({
    order: { items: [{ sku: 'k-1' }, { sku: 'l, [2]' }], 'odd key': { 'a"b': true } },
    empty: [],
    n: 1,
  }),
);
const pathAt = (part: string, more = 0): string => valuePath(text, text.indexOf(part) + more);

describe('the path of a value', () => {
  it('names keys with dots, places of lists with numbers, and odd keys in quotes', () => {
    expect(pathAt('"k-1"', 2)).toBe('$.order.items[0].sku');
    expect(pathAt('l, [2]', 3)).toBe('$.order.items[1].sku');
    expect(pathAt('true')).toBe(String.raw`$.order["odd key"]["a\"b"]`);
    expect(pathAt('"n"', 5)).toBe('$.n');
  });

  it('takes a key, and the space before it, for its value', () => {
    expect(pathAt('"n"', 1)).toBe('$.n');
    expect(pathAt('"n"', -2)).toBe('$.n');
    expect(pathAt('"items"')).toBe('$.order.items');
  });

  it('takes a bracket for all between it and its partner, and a comma for the value before', () => {
    expect(valuePath(text, 0)).toBe('$');
    expect(valuePath(text, text.length - 1)).toBe('$');
    expect(pathAt('"items": [', 9)).toBe('$.order.items');
    expect(pathAt('[],')).toBe('$.empty');
    expect(pathAt('[],', 1)).toBe('$.empty');
    expect(pathAt('[],', 2)).toBe('$.empty');
  });

  it('answers for text that is no JSON, and for none', () => {
    expect(valuePath('not JSON', 3)).toBe('$');
    expect(valuePath('', 0)).toBe('$');
    expect(valuePath('{"a": "never ends', 12)).toBe('$.a');
    expect(valuePath('}}]]', 4)).toBe('$');
  });
});
