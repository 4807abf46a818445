import { createHash, randomBytes } from 'node:crypto';
import { invalid } from '../../errors.ts';

/** Adopted ones may have all characters that a URL takes as they are. */
export const tokenShape = /^[A-Za-z0-9._~-]{16,128}$/;

/** A token of an address: nobody guesses it. */
export const mintToken = (): string => randomBytes(32).toString('base64url');

/** Whether a text can be a token. */
export const isToken = (text: string): boolean => tokenShape.test(text);

/** A token that the caller brings. Throws `invalid`. */
export function checkToken(token: string): string {
  if (!isToken(token)) throw invalid('token must have 16 to 128 characters of A-Z a-z 0-9 - . _ ~');
  return token;
}

/**
 * The stored form of a token, by which its source is looked up, so that no comparison tells how
 * much of a guess was right.
 */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();
