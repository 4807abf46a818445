import type { EngineContext } from '../../context.ts';
import type { Queryable } from '../../db/index.ts';
import { conflict, invalid } from '../../errors.ts';
import {
  mintSecret,
  putSigningSecrets,
  readSigningSecrets,
  revokePreviousSecret,
  type SecretOwner,
  type SigningSecrets,
} from '../../secrets/index.ts';
import { checkSecret, fitsScheme, type Given, required } from './fields.ts';
import type { SourceScheme } from './schemes.ts';

/** The fields of a change that concern the signing secret. */
export interface SecretChange {
  /** Replaces the secret by a known one. */
  secret?: Given<string>;
  /** Replaces the secret by a generated one. */
  rotateSecret?: Given<boolean>;
  /** Rotates although the predecessor is still valid, and ends that one. */
  force?: Given<boolean>;
  /** Leaves only the present secret valid. */
  revokePrevious?: Given<boolean>;
}

export interface Rotated {
  /** The new secret; undefined if the secret stayed. */
  secret: string | undefined;
  /** Whether a predecessor ended before its time. */
  hasRevoked: boolean;
}

/** Whether the valid secrets have changed. */
export const hasRotated = ({ secret, hasRevoked }: Rotated): boolean => secret !== undefined || hasRevoked;

/** The secret of a new endpoint or source: the given one, else a generated one. */
export const firstSecret = (given: Given<string>, scheme: SourceScheme): string =>
  given === undefined || given === null ? mintSecret() : checkSecret(given, scheme);

/**
 * Changes the signing secret of an endpoint or source, whose row the transaction has locked. The
 * replaced secret stays valid for a day, unless it is revoked at once. Throws `conflict` while a
 * predecessor is valid, and `invalid` if the secret does not fit the scheme.
 */
export async function changeSecret(
  ctx: EngineContext,
  tx: Queryable,
  { owner, scheme, change }: { owner: SecretOwner; scheme: SourceScheme; change: SecretChange },
): Promise<Rotated> {
  const { secret, rotateSecret, force, revokePrevious } = change;
  const known = await readSigningSecrets(ctx, owner, tx);
  const next = required('secret', secret) ?? (rotateSecret ? mintSecret() : undefined);
  if (next === undefined) return keepSecret(tx, { owner, scheme, known, revokes: revokePrevious === true });
  checkSecret(next, scheme);
  if (known.overlaps && !force && !revokePrevious) throw conflict('rotationInProgress');
  const { current } = known;
  // A secret of another scheme verifies nothing any more.
  const previous = !revokePrevious && current !== undefined && fitsScheme(current, scheme) ? current : undefined;
  if (previous === undefined) await revokePreviousSecret(tx, owner);
  await putSigningSecrets(ctx, tx, { ...owner, current: next, previous });
  return { secret: next, hasRevoked: revokePrevious === true || known.overlaps };
}

interface Kept {
  owner: SecretOwner;
  scheme: SourceScheme;
  known: SigningSecrets;
  revokes: boolean;
}

async function keepSecret(tx: Queryable, { owner, scheme, known, revokes }: Kept): Promise<Rotated> {
  const { current, previous } = known;
  if (current !== undefined && !fitsScheme(current, scheme)) {
    throw invalid('scheme: the present secret does not fit the scheme standard: set rotateSecret or secret, too');
  }
  const isUnfit = previous !== undefined && !fitsScheme(previous, scheme);
  const hasRevoked = (revokes || isUnfit) && (await revokePreviousSecret(tx, owner));
  return { secret: undefined, hasRevoked };
}
