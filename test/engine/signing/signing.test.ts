import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sign, verify } from '../../../src/engine/signing/index.ts';

const now = new Date('2026-11-21T12:00:00.000Z');
const seconds = now.getTime() / 1000;
const body = '{"a":1e400}';
const check = (over: Partial<Parameters<typeof verify>[0]>): boolean =>
  verify({ secrets: ['s1'], header: sign('s1', body, seconds), body, now, toleranceMs: 300_000, ...over });

describe('sign', () => {
  it('is t=<unix seconds>&s=<hex HMAC-SHA256 of "t.body"> keyed by the secret as text', () => {
    const expected = createHmac('sha256', Buffer.from('schlüssel', 'utf8')).update(`${seconds}.${body}`).digest('hex');
    expect(sign('schlüssel', body, seconds)).toBe(`t=${seconds}&s=${expected}`);
  });

  it('signs bytes as it signs their text', () => {
    expect(sign('k', Buffer.from('ünï'), seconds)).toBe(sign('k', 'ünï', seconds));
  });

  it('drops fractions of the timestamp', () => {
    expect(sign('k', body, seconds + 0.9)).toBe(sign('k', body, seconds));
  });

  it('carries one s per secret during a rotation', () => {
    const header = sign(['new', 'old'], body, seconds);
    expect(header.match(/&s=/g)).toHaveLength(2);
    expect(check({ header, secrets: ['old'] })).toBe(true);
    expect(check({ header, secrets: ['new'] })).toBe(true);
  });

  it('refuses to sign without a secret', () => {
    expect(() => sign([], body, seconds)).toThrow(TypeError);
  });
});

describe('verify', () => {
  it('accepts the result of sign', () => {
    expect(check({})).toBe(true);
  });

  it('accepts either secret of a rotation', () => {
    expect(check({ secrets: ['s2', 's1'] })).toBe(true);
  });

  it('refuses another secret, another body, and no secret at all', () => {
    expect(check({ secrets: ['s2'] })).toBe(false);
    expect(check({ body: '{"a":1e401}' })).toBe(false);
    expect(check({ secrets: [] })).toBe(false);
  });

  it('accepts exactly the tolerance, into the past and into the future, and no millisecond more', () => {
    for (const direction of [-1, 1]) {
      const at = (ms: number): Date => new Date(now.getTime() + direction * ms);
      expect(check({ now: at(300_000) })).toBe(true);
      expect(check({ now: at(300_001) })).toBe(false);
    }
  });

  it('refuses signatures of any other length without an error', () => {
    for (const s of ['', 'ab', 'f'.repeat(63), 'f'.repeat(65), 'zz'.repeat(32), 'é'.repeat(64)]) {
      expect(check({ header: `t=${seconds}&s=${s}` })).toBe(false);
    }
  });

  it('refuses a header that is missing, malformed, doubled in t, or longer than any real one', () => {
    const good = sign('s1', body, seconds);
    const bad = [undefined, '', 'nonsense', `s=${good.split('s=')[1]}`, `t=${seconds}`, `t=x${good.slice(2)}`];
    for (const header of [...bad, `t=${seconds}&${good}`, `t=-${seconds}`, `${good}${'&s=00'.repeat(2000)}`]) {
      expect(check({ header })).toBe(false);
    }
  });

  it('reads upper-case hex', () => {
    const [t, s] = sign('s1', body, seconds).split('&s=');
    expect(check({ header: `${t}&s=${s?.toUpperCase()}` })).toBe(true);
  });
});
