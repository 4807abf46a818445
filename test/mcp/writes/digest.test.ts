import { describe, expect, it } from 'vitest';
import { readJson } from '../../../src/engine/json/index.ts';
import { digestOf } from '../../../src/mcp/writes/digest.ts';

const digest = (text: string): string => digestOf('a_tool', readJson(text)).toString('hex');

describe('the digest of a call', () => {
  it.each([
    ['the order of keys', '{"a":{"b":1,"c":[2,3]},"d":4}', '{"d":4,"a":{"c":[2,3],"b":1}}'],
    ['space', '{"a":[1,2]}', '{ "a" : [ 1, 2 ] }'],
    ['how a number is written', '{"a":[100,0.5]}', '{"a":[1e2,0.50]}'],
    ['how a text is escaped', '{"a":"é"}', '{"a":"\\u00e9"}'],
    ['the bound of the answer', '{"a":1}', '{"a":1,"maxBytes":2048}'],
  ])('does not depend on %s', (_what, one, other) => expect(digest(one)).toBe(digest(other)));

  it.each([
    ['an object and the list of its members', '{"args":{"a":1}}', '{"args":[["a",1]]}'],
    ['long numbers that changed places', '{"args":{"a":12345678901234567890,"b":12345678901234567891}}'],
    ['numbers that a double cannot hold', '{"args":1e400}', '{"args":1e401}'],
    ['such a number and null', '{"args":1e400}', '{"args":null}'],
    ['such a number and its text', '{"args":1e400}', '{"args":"1e400"}'],
    ['zero and its negative', '{"args":0}', '{"args":-0}'],
    ['the order of a list', '{"args":[1,2]}', '{"args":[2,1]}'],
    ['what is invisible and its escape', '{"args":"\u200b"}', '{"args":"\\\\u200b"}'],
  ])('tells apart %s', (_what, one, other = swapped(one)) => expect(digest(one)).not.toBe(digest(other)));
});

const swapped = (text: string): string => text.replace('"a"', '"x"').replace('"b"', '"a"').replace('"x"', '"b"');
