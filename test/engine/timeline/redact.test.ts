import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RawJson } from '../../../src/engine/json/index.ts';
import { redactFields } from '../../../src/engine/timeline/index.ts';

const redact = (value: unknown): unknown => redactFields(RawJson.of(value)).parse();
const redactText = (text: string): string => redactFields(RawJson.trusted(text)).text;
const hidden = '[redacted]';

const names = [
  'password',
  'passwd',
  'secret',
  'token',
  'authorization',
  'cookie',
  'api_key',
  'apikey',
  'access_key',
  'private_key',
  'credential',
  'ssn',
  'card_number',
  'cvv',
];

describe('sensitive fields of a log line are redacted before storage (2.6)', () => {
  it.each(names)('%s: as the whole name, in any case, and in a longer one', (name) => {
    for (const variant of [name, name.toUpperCase(), `my_${name}`, `${name}Value`, `X-${name}-2`]) {
      expect(redact({ [variant]: 'x', other: 1 })).toEqual({ [variant]: hidden, other: 1 });
    }
  });

  it.each(['apiKey', 'api-key', 'X-Api-Key', 'accessKey', 'privateKey', 'cardNumber', 'Set-Cookie', 'clientSecret'])(
    'two words are told however they are joined: %s',
    (name) => {
      expect(redact({ [name]: 'x' })).toEqual({ [name]: hidden });
    },
  );

  it.each([['x'], [1], [true], [null], [[1, 'a']], [{ deep: { deeper: ['}', ']', '"', ','] } }], ['']])(
    'whatever the value is: %j',
    (value) => {
      expect(redact({ before: 1, password: value, after: 2 })).toEqual({ before: 1, password: hidden, after: 2 });
    },
  );

  it('at any depth, in arrays too', () => {
    const fields = { a: [{ b: { password: 'x', c: [[{ token: 'y' }]] } }], d: 'kept' };
    expect(redact(fields)).toEqual({ a: [{ b: { password: hidden, c: [[{ token: hidden }]] } }], d: 'kept' });
  });

  it('at a depth that would overflow a stack', () => {
    const text = `${'{"a":'.repeat(100_000)}{"token":"x"}${'}'.repeat(100_000)}`;
    expect(redactText(text)).toBe(text.replace('"x"', '"[redacted]"'));
  });

  it('a name that is written with escapes is recognized', () => {
    expect(redactText('{"p\\u0061ssword":"x"}')).toBe('{"p\\u0061ssword":"[redacted]"}');
  });

  it('values are never read as names', () => {
    expect(redact({ a: 'password', b: '"token":"x"', c: ['secret', 'x'] })).toEqual({
      a: 'password',
      b: '"token":"x"',
      c: ['secret', 'x'],
    });
  });
});

describe('counts of tokens are kept', () => {
  it.each(['tokensIn', 'tokensOut', 'maxTokens', 'tokens', 'total_tokens', 'MAX_TOKENS'])('%s', (name) => {
    expect(redact({ [name]: 1234 })).toEqual({ [name]: 1234 });
    expect(redact({ [name]: null })).toEqual({ [name]: null });
  });

  it('a value that is no count is hidden under these names, too', () => {
    expect(redact({ tokens: ['abc'] })).toEqual({ tokens: hidden });
    expect(redact({ accessTokens: 'abc' })).toEqual({ accessTokens: hidden });
    expect(redact({ secretTokens: 5, token: 5 })).toEqual({ secretTokens: hidden, token: hidden });
  });
});

describe('all other text stays as it was written', () => {
  it.each([
    '{}',
    '{"n":1e400,"i":12345678901234567890,"z":-0}',
    '{"nul":"\\u0000","half":"\\ud800","__proto__":{"a":1}}',
    '{ "a" : [ 1 , 2 ] ,\n"b":"\\\\" }',
    '"token"',
    '[]',
    'null',
  ])('%s', (text) => {
    expect(redactText(text)).toBe(text);
  });

  it('so does space around a hidden value', () => {
    expect(redactText('{ "token" : 12 , "a" : 1.0 , "cvv" : { "x" : 1 } }')).toBe(
      '{ "token" : "[redacted]" , "a" : 1.0 , "cvv" : "[redacted]" }',
    );
  });

  it('a value without sensitive names is returned unchanged', () => {
    const fields = RawJson.of({ a: { b: 'c' } });
    expect(redactFields(fields)).toBe(fields);
  });

  it('for any JSON value the result equals that of a walk over the parsed value', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom(...names, 'tokensIn', 'x-api-key', '"', '\\', '__proto__'));
    const { tree } = fc.letrec((tie) => ({
      leaf: fc.oneof(fc.string({ unit: 'binary' }), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)),
      tree: fc.oneof(
        { depthSize: 'small' },
        tie('leaf'),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(name, tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(JSON.parse(redactText(text))).toEqual(walk(JSON.parse(text)));
      }),
      { numRuns: 500 },
    );
  });
});

/** A second implementation of the rule. */
function walk(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(walk);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isHidden(name, member) ? hidden : walk(member)]),
  );
}

function isHidden(name: string, value: unknown): boolean {
  const isCount = value === null || typeof value === 'number';
  const plain = isCount ? name.toLowerCase().replaceAll('tokens', '|') : name.toLowerCase();
  const words = [...names, 'api-key'];
  return words.some((word) => plain.includes(word));
}
