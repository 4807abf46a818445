import type { Tone } from '../../design/statusPalette.ts';

/** A key as far as its state needs it. */
export interface KeyLike {
  kind: 'PUBLIC' | 'SECRET' | 'PLATFORM';
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
}

export type KeyState = 'valid' | 'ends soon' | 'expired' | 'revoked';

const day = 86_400_000;

/** The state of a key now. */
export function stateOf({ expiresAt, revokedAt }: Pick<KeyLike, 'expiresAt' | 'revokedAt'>, now: number): KeyState {
  if (revokedAt) return 'revoked';
  if (!expiresAt) return 'valid';
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return 'expired';
  return left < 7 * day ? 'ends soon' : 'valid';
}

export const toneOf = (state: KeyState): Tone => (state === 'valid' ? 'good' : state === 'ends soon' ? 'hold' : 'idle');

/** Keys that work first; each group newest first. */
export const workingFirst = <Key extends KeyLike>(keys: readonly Key[], now: number): Key[] =>
  [...keys].sort((a, b) => Number(isEnded(a, now)) - Number(isEnded(b, now)) || b.createdAt.localeCompare(a.createdAt));

export const isEnded = (key: KeyLike, now: number): boolean => ['expired', 'revoked'].includes(stateOf(key, now));

export const expiries = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
  { value: '1', label: 'a day' },
  { value: '', label: 'never' },
] as const;

export type Expiry = (typeof expiries)[number]['value'];

/** The instant at which a key ends that is issued now; absent for never. */
export const expiryOf = (days: Expiry, now: number): string | undefined =>
  days === '' ? undefined : new Date(now + Number(days) * day).toISOString();

/** A ceiling as typed: a whole number, 0 for none; undefined if it is neither. */
export function ceilingOf(text: string): number | undefined {
  const value = text.trim();
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}
