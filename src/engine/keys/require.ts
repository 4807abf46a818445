import { forbidden, invalid } from '../errors.ts';

/** The caller: the key that authenticated, and the project that it acts in. */
export type Principal =
  | { kind: 'secret' | 'public'; keyId: string; keyName: string; projectId: string }
  | { kind: 'platform'; keyId: string; keyName: string; projectId: string; actor: string | undefined }
  | { kind: 'operator'; keyName: 'operator'; projectId: string | undefined };

/** Throws `forbidden` for a public key, which may only read (5, 5.7). */
export function requireWrite(principal: Principal): void {
  if (principal.kind === 'public')
    throw forbidden('a full-access (secret) key is required: a public key may only read');
}

/** The project that the call acts in. Throws `invalid` if an operator names none. */
export function requireProject(principal: Principal): string {
  if (principal.projectId === undefined) throw invalid('X-Service-Project: the operator key must name a project here');
  return principal.projectId;
}

/**
 * Throws `forbidden` unless the key is a secret or the operator's. Platform keys act for others,
 * who may not see figures of the whole service.
 */
export function requireWatch(principal: Principal): void {
  if (principal.kind !== 'secret' && principal.kind !== 'operator')
    throw forbidden('a secret key or the operator key is required');
}

/** Throws `forbidden` unless the key is the operator's. */
export function requireOperator(principal: Principal): void {
  if (principal.kind !== 'operator') throw forbidden('the operator key is required');
}
