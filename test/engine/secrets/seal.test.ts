import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openSecret, sealSecret } from '../../../src/engine/secrets/index.ts';

const under = (operatorKey: string) => ({ settings: { operatorKey } });
const ctx = under('hf_op_test');

describe('sealed secrets', () => {
  it('any sealed text opens to itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, place) => {
        expect(openSecret(ctx, sealSecret(ctx, text, place), place)).toBe(text);
      }),
    );
  });

  it('the sealed bytes contain no part of the secret and differ each time', () => {
    const sealed = sealSecret(ctx, 'whsec_very_secret');
    expect(sealed.includes('very_secret')).toBe(false);
    expect(sealed.equals(sealSecret(ctx, 'whsec_very_secret'))).toBe(false);
  });

  it('changing any byte is noticed', () => {
    const sealed = sealSecret(ctx, 'secret');
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => openSecret(ctx, changed), `byte ${at}`).toThrow(/^sealed secret: /);
    }
  });

  it('truncated and foreign bytes are refused', () => {
    expect(() => openSecret(ctx, sealSecret(ctx, 'x').subarray(0, 32))).toThrow('unknown format');
    expect(() => openSecret(ctx, new Uint8Array())).toThrow('unknown format');
    expect(() => openSecret(ctx, Buffer.alloc(64, 9))).toThrow('unknown format');
  });

  it('another operator key is named as the cause', () => {
    expect(() => openSecret(under('hf_op_other'), sealSecret(ctx, 'x'))).toThrow('another operator key');
  });

  it('a secret bound to one place does not open in another', () => {
    const sealed = sealSecret(ctx, 'x', 'project-a/provider/openai');
    expect(() => openSecret(ctx, sealed, 'project-b/provider/openai')).toThrow('belongs elsewhere');
    expect(() => openSecret(ctx, sealed)).toThrow('belongs elsewhere');
  });

  it('sealing needs an operator key', () => {
    expect(() => sealSecret(under(''), 'x')).toThrow('without an operator key');
  });

  it('a view into a larger buffer opens, as drivers hand them out', () => {
    const sealed = sealSecret(ctx, 'inside');
    const padded = Buffer.concat([Buffer.alloc(7), sealed, Buffer.alloc(5)]);
    expect(openSecret(ctx, new Uint8Array(padded.buffer, padded.byteOffset + 7, sealed.length))).toBe('inside');
  });
});
