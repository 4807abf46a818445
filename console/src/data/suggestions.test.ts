import { expect, it } from 'vitest';
import { splitTag } from './suggestions.ts';

it.each([
  ['cust', ['cust']],
  ['customer=', ['customer', '']],
  [' customer = Ada ', ['customer', 'Ada']],
  ['query=a=b', ['query', 'a=b']],
  ['', ['']],
])('the tag %j is split at its first equals sign', (text, parts) => {
  expect(splitTag(text)).toEqual(parts);
});
