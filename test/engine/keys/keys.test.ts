import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashKey, keyKinds, mintKey, parseKey } from '../../../src/engine/keys/index.ts';

const prefixes = { secret: 'hf_sk_', public: 'hf_pk_', platform: 'hf_plat_', operator: 'hf_op_' };

describe('the format of keys', () => {
  it.each(keyKinds)('a %s key carries its prefix, 43 random characters and a checksum of 6', (kind) => {
    const { token } = mintKey(kind);
    expect(token).toMatch(new RegExp(`^${prefixes[kind]}[0-9A-Za-z]{49}$`));
    expect(parseKey(token)).toBe(kind);
  });

  it('no two minted keys are alike', () => {
    const tokens = new Set(Array.from({ length: 1000 }, () => mintKey('secret').token));
    expect(tokens.size).toBe(1000);
  });

  it('only a SHA-256 of the token is handed out for storage', () => {
    const { token, hash } = mintKey('public');
    expect(hash).toEqual(createHash('sha256').update(token).digest());
    expect(hashKey(token)).toEqual(hash);
  });

  it('the hint shows the prefix and the last four characters only', () => {
    const { token, hint } = mintKey('platform');
    expect(hint).toBe(`hf_plat_…${token.slice(-4)}`);
  });

  it('a typo in any single character is detected without a look-up', () => {
    const { token } = mintKey('secret');
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...'aZ09_-'), (at, other) => {
        fc.pre(token[at] !== other);
        expect(parseKey(token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined();
      }),
    );
  });

  it('a key of one kind cannot be passed off as another', () => {
    expect(parseKey(mintKey('public').token.replace('hf_pk_', 'hf_sk_'))).toBeUndefined();
  });

  it.each(['', 'hf_sk_', 'Bearer x', 'hf_sk_short', `${mintKey('secret').token}x`, `${mintKey('secret').token}\n`])(
    'what is no key at all is none: %j',
    (text) => {
      expect(parseKey(text)).toBeUndefined();
    },
  );
});
