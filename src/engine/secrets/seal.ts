import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { EngineSettings } from '../settings.ts';
import type { SecretRef } from './sql/findSealedSecret.ts';

/**
 * The part of the context that sealing needs. The present operator key seals, and all keys open.
 */
export interface SealContext {
  settings: Pick<EngineSettings, 'operatorKey'> & Partial<Pick<EngineSettings, 'formerOperatorKeys'>>;
}

/**
 * Sealed bytes: version (1), fingerprint of the operator key (4), nonce (12), tag (16), ciphertext.
 * The fingerprint distinguishes another operator key from damaged data.
 */
const version = 1;
const fingerprintLength = 4;
const nonceLength = 12;
const tagLength = 16;
const nonceAt = 1 + fingerprintLength;
const tagAt = nonceAt + nonceLength;
const headerLength = tagAt + tagLength;

interface SealKey {
  key: Uint8Array;
  fingerprint: Buffer;
}

const keys = new Map<string, SealKey>();

/**
 * Encrypts a secret for storage: AES-256-GCM under a key derived from the operator key. `boundTo`
 * names its row: sealed bytes that are copied to another row do not open. Throws without an
 * operator key.
 */
export function sealSecret(ctx: SealContext, text: string, boundTo = ''): Buffer {
  const { key } = sealKey(ctx.settings.operatorKey);
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associated(boundTo));
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([sealPrefix(ctx), nonce, cipher.getAuthTag(), ciphertext]);
}

/** The first bytes of everything that is sealed under this operator key. */
export const sealPrefix = (ctx: SealContext): Buffer =>
  Buffer.concat([Buffer.of(version), sealKey(ctx.settings.operatorKey).fingerprint]);

/** The first bytes of everything that this process can open. */
export const knownPrefixes = ({ settings: { operatorKey, formerOperatorKeys = [] } }: SealContext): Buffer[] =>
  [operatorKey, ...formerOperatorKeys].map((key) => sealPrefix({ settings: { operatorKey: key } }));

/** This process cannot open the secret. */
export class UnreadableSealError extends Error {
  override readonly name: string = 'UnreadableSealError';
}

/** The secret was sealed under an unknown operator key. */
export class ForeignSealError extends UnreadableSealError {
  override readonly name = 'ForeignSealError';
}

/** The bytes were changed behind their first ones, or bound to another row: perhaps on purpose. */
export class ChangedSealError extends UnreadableSealError {
  override readonly name = 'ChangedSealError';
}

/**
 * Opens the result of `sealSecret`, with the same `boundTo`. The sealed bytes name the operator
 * key: the present one, or one of the former ones. Throws `ForeignSealError` if it is another one,
 * and an `UnreadableSealError` if the bytes were changed or bound elsewhere. Messages never contain
 * the secret.
 */
export function openSecret(ctx: SealContext, sealed: Uint8Array, boundTo = ''): string {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (!isSealed(bytes)) throw new UnreadableSealError('sealed secret: unknown format');
  const key = keyOf(ctx, bytes.subarray(1, nonceAt));
  if (!key) throw new ForeignSealError('sealed secret: it was sealed under another operator key');
  const text = decrypted(key, bytes, boundTo);
  if (text === undefined) throw new ChangedSealError('sealed secret: it was changed or belongs elsewhere');
  return text;
}

/** Whether bytes can be sealed ones, as far as their first byte and their length tell. */
export const isSealed = (bytes: Buffer): boolean => bytes.length >= headerLength && bytes[0] === version;

/**
 * Opens sealed bytes whose first bytes are damaged, which name the version and the operator key: it
 * tries all keys. The tag proves that the rest is whole. Undefined if no key opens them.
 */
export function openDespitePrefix(ctx: SealContext, bytes: Buffer, boundTo = ''): string | undefined {
  if (bytes.length < headerLength) return undefined;
  for (const { key } of allKeys(ctx)) {
    const text = decrypted(key, bytes, boundTo);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Undefined if the key does not open the bytes. */
function decrypted(key: Uint8Array, bytes: Buffer, boundTo: string): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(nonceAt, tagAt), { authTagLength: tagLength });
  decipher.setAuthTag(bytes.subarray(tagAt, headerLength)).setAAD(associated(boundTo));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(headerLength)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

const allKeys = ({ settings: { operatorKey, formerOperatorKeys = [] } }: SealContext): SealKey[] =>
  [operatorKey, ...formerOperatorKeys].map(sealKey);

const keyOf = (ctx: SealContext, fingerprint: Buffer): Uint8Array | undefined =>
  allKeys(ctx).find((each) => each.fingerprint.equals(fingerprint))?.key;

/**
 * Like `openSecret`, but undefined if sealed under another operator key, or in an unknown format.
 * Throws a `ChangedSealError`.
 */
export function openIfReadable(ctx: SealContext, sealed: Uint8Array, boundTo = ''): string | undefined {
  try {
    return openSecret(ctx, sealed, boundTo);
  } catch (error) {
    if (error instanceof UnreadableSealError && !(error instanceof ChangedSealError)) return undefined;
    throw error;
  }
}

/** A secret of a project for one purpose, derived from the operator key. It is not stored. */
export const projectKey = ({ settings }: SealContext, projectId: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', settings.operatorKey, projectId, `holdfast.${purpose}.${version}`, 32));

/** The version is authenticated too, so that a later format cannot pass as this one. */
const associated = (boundTo: string): Buffer => Buffer.from(`holdfast.seal.${version}\n${boundTo}`, 'utf8');

function sealKey(operatorKey: string): SealKey {
  const known = keys.get(operatorKey);
  if (known) return known;
  if (operatorKey === '') throw new Error('secrets cannot be sealed without an operator key');
  const derive = (purpose: string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', operatorKey, '', `holdfast.seal.${version}.${purpose}`, length));
  const derived = { key: derive('key', 32), fingerprint: derive('fingerprint', fingerprintLength) };
  keys.set(operatorKey, derived);
  return derived;
}

/**
 * The kinds of sealed secrets. `invoke` signs the invokes of an app's HTTP runners, and `provider`
 * opens a model provider. `webhook_endpoint` signs deliveries, and `webhook_source` verifies
 * messages. `webhook_source_token` is the token in a source's address. A `…_previous` is the
 * predecessor while both are valid.
 */
export const secretKinds = [
  'invoke',
  'invoke_previous',
  'provider',
  'webhook_endpoint',
  'webhook_endpoint_previous',
  'webhook_source',
  'webhook_source_previous',
  'webhook_source_token',
] as const;
export type SecretKind = (typeof secretKinds)[number];

/**
 * Binds sealed bytes to their row, so that a copy in another row does not open. Case and order are
 * part of the format.
 */
export const boundTo = ({ projectId, kind, name }: SecretRef): string => `${projectId}/${kind}/${name}`;
