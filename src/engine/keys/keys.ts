import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The kinds of keys (5), and the operator's key of the whole service. */
export const keyKinds = ['secret', 'public', 'platform', 'operator'] as const;
export type KeyKind = (typeof keyKinds)[number];

const prefixes: Readonly<Record<KeyKind, string>> = {
  secret: 'hf_sk_',
  public: 'hf_pk_',
  platform: 'hf_plat_',
  operator: 'hf_op_',
};

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretBytes = 32;
/** 62^43 is just above 2^256. */
const secretLength = 43;
/** 62^6 is above 2^32, the range of a CRC-32. */
const checksumLength = 6;
const shape = new RegExp(`^(hf_[a-z]+_)([0-9A-Za-z]{${secretLength}})([0-9A-Za-z]{${checksumLength}})$`);

export interface MintedToken {
  /** The token itself. Shown once, and never stored. */
  token: string;
  /** SHA-256 of the token, which is all that is stored. */
  hash: Buffer;
}

export interface MintedKey extends MintedToken {
  /** Enough to tell keys apart, and too little to use. */
  hint: string;
}

/** A new random token: prefix, 32 random bytes in base 62, and a checksum over both. */
export function mintToken(prefix: string): MintedToken {
  const body = prefix + base62(BigInt(`0x${randomBytes(secretBytes).toString('hex')}`), secretLength);
  const token = body + checksum(body);
  return { token, hash: hashKey(token) };
}

/** A new random key. */
export function mintKey(kind: KeyKind): MintedKey {
  const minted = mintToken(prefixes[kind]);
  return { ...minted, hint: `${prefixes[kind]}…${minted.token.slice(-4)}` };
}

/**
 * The kind of key that a token claims to be. Undefined if its shape or checksum is wrong, so that a
 * typo costs no query. The key may still not exist.
 */
export const parseKey = (token: string): KeyKind | undefined =>
  keyKinds.find((kind) => prefixes[kind] === prefixOf(token));

/** The prefix of a token; undefined if its shape or checksum is wrong. */
export function prefixOf(token: string): string | undefined {
  const [, prefix, secret, sum] = shape.exec(token) ?? [];
  if (prefix === undefined || secret === undefined || sum !== checksum(prefix + secret)) return undefined;
  return prefix;
}

/** SHA-256 of a token. A key has 256 random bits, so a slow hash would add nothing. */
export const hashKey = (token: string): Buffer => hash('sha256', token, 'buffer');

const checksum = (text: string): string => base62(BigInt(crc32(text)), checksumLength);

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}
