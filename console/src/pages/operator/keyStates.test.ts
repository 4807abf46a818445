import { describe, expect, it } from 'vitest';
import { ceilingOf, expiryOf, type KeyLike, stateOf, workingFirst } from './keyStates.ts';

const now = Date.parse('2026-11-28T00:00:00.000Z');
const key = (change: Partial<KeyLike> = {}): KeyLike => ({
  kind: 'SECRET',
  createdAt: '2026-11-01T00:00:00.000Z',
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
  ...change,
});

describe('a key', () => {
  it('is valid until its end, of which the last week is told', () => {
    const at = (expiresAt: string) => stateOf(key({ expiresAt }), now);
    expect(['2026-12-28T00:00:00Z', '2026-12-01T00:00:00Z', '2026-11-28T00:00:00Z'].map(at)).toEqual([
      'valid',
      'ends soon',
      'expired',
    ]);
  });

  it('that was revoked is revoked, whatever its end', () => {
    expect(stateOf(key({ revokedAt: '2026-11-02T00:00:00Z', expiresAt: '2027-01-01T00:00:00Z' }), now)).toBe('revoked');
  });

  it('comes first while it works, the newest of them at the top', () => {
    const revoked = key({ revokedAt: '2026-11-02T00:00:00Z', createdAt: '2026-11-27T00:00:00Z' });
    const old = key();
    const fresh = key({ createdAt: '2026-11-20T00:00:00Z' });
    expect(workingFirst([revoked, old, fresh], now)).toEqual([fresh, old, revoked]);
  });

  it('ends after the days that were chosen, or never', () => {
    expect(expiryOf('30', now)).toBe('2026-12-28T00:00:00.000Z');
    expect(expiryOf('', now)).toBeUndefined();
  });
});

it('a ceiling is a whole number, and 0 is none', () => {
  expect(['0', ' 50 ', '', '-1', '1.5', 'many', '1e3'].map(ceilingOf)).toEqual([
    0,
    50,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
