import type { EngineContext } from '../context.ts';
import type { Queryable } from '../db/index.ts';
import { overlapMs } from './mintSecret.ts';
import { boundTo, ForeignSealError, openSecret, type SecretKind, sealSecret } from './seal.ts';
import { deleteSealedSecrets } from './sql/deleteSealedSecrets.ts';
import type { SecretRef } from './sql/findSealedSecret.ts';
import { findSealedSecrets } from './sql/findSealedSecrets.ts';
import { putSealedSecrets } from './sql/putSealedSecrets.ts';

/** An endpoint or a source. The kind is that of its signing secret. */
export interface SecretOwner {
  projectId: string;
  kind: 'webhook_endpoint' | 'webhook_source';
  id: string;
}

/** The signing secrets of an owner. */
export interface SigningSecrets {
  /** Undefined if there is none, or if it cannot be opened. */
  current: string | undefined;
  /** The predecessor, for a day after a rotation. */
  previous: string | undefined;
  /** Whether a day has not passed since the last rotation, and the predecessor was not revoked. */
  overlaps: boolean;
}

/** Reads the signing secrets of an endpoint or a source, as of one instant. */
export async function readSigningSecrets(
  ctx: EngineContext,
  { projectId, kind, id }: SecretOwner,
  db: Queryable = ctx.db,
): Promise<SigningSecrets> {
  const under = previousOf(kind);
  const kinds = [kind, under];
  const rows = await findSealedSecrets(db, { projectId, kinds, name: id, overlapMs, now: ctx.clock.sql() });
  const current = rows.find((row) => row.kind === kind);
  const previous = rows.find((row) => row.kind === under && row.isRecent);
  return {
    current: current && openOrWarn(ctx, { projectId, kind, name: id }, current.sealed),
    previous: previous && openOrWarn(ctx, { projectId, kind: under, name: id }, previous.sealed),
    overlaps: previous !== undefined,
  };
}

/** Stores the signing secrets that are given, and leaves the others. */
export async function putSigningSecrets(
  ctx: EngineContext,
  tx: Queryable,
  { projectId, kind, id, current, previous }: SecretOwner & Partial<Pick<SigningSecrets, 'current' | 'previous'>>,
): Promise<void> {
  const secrets = [
    ...(current === undefined ? [] : [sealed(ctx, { projectId, kind, name: id }, current)]),
    ...(previous === undefined ? [] : [sealed(ctx, { projectId, kind: previousOf(kind), name: id }, previous)]),
  ];
  if (secrets.length > 0) await putSealedSecrets(tx, { projectId, secrets, now: ctx.clock.sql() });
}

/** Ends the overlap of a rotation at once. */
export async function revokePreviousSecret(tx: Queryable, { projectId, kind, id }: SecretOwner): Promise<boolean> {
  return (await deleteSealedSecrets(tx, { projectId, kinds: [previousOf(kind)], name: id })).length > 0;
}

/** Deletes all secrets of an endpoint or a source. */
export async function dropSecrets(tx: Queryable, { projectId, kind, id }: SecretOwner): Promise<void> {
  const kinds: SecretKind[] = [kind, previousOf(kind), 'webhook_source_token'];
  await deleteSealedSecrets(tx, { projectId, kinds, name: id });
}

/** A source's token, sealed, so that its address can be shown again. */
export async function putSourceToken(
  ctx: EngineContext,
  tx: Queryable,
  { projectId, id, token }: { projectId: string; id: string; token: string },
): Promise<void> {
  const secrets = [sealed(ctx, tokenRef(projectId, id), token)];
  await putSealedSecrets(tx, { projectId, secrets, now: ctx.clock.sql() });
}

/** Opens a source's token; undefined if it cannot be opened. */
export const openSourceToken = (ctx: EngineContext, projectId: string, id: string, bytes: Buffer): string | undefined =>
  openOrWarn(ctx, tokenRef(projectId, id), bytes);

const tokenRef = (projectId: string, id: string): SecretRef => ({ projectId, kind: 'webhook_source_token', name: id });

/** The kind of the secret before a rotation. */
const previousOf = (kind: SecretOwner['kind']): 'webhook_endpoint_previous' | 'webhook_source_previous' =>
  `${kind}_previous`;

const sealed = (ctx: EngineContext, ref: SecretRef, text: string) => ({
  kind: ref.kind,
  name: ref.name,
  sealed: sealSecret(ctx, text, boundTo(ref)),
});

function openOrWarn(ctx: EngineContext, ref: SecretRef, bytes: Buffer): string | undefined {
  try {
    return openSecret(ctx, bytes, boundTo(ref));
  } catch (error) {
    const cause = error instanceof ForeignSealError ? 'it was sealed under another operator key' : 'it is damaged';
    ctx.log.warn({ projectId: ref.projectId, kind: ref.kind, id: ref.name }, `webhook secret unreadable: ${cause}`);
    return undefined;
  }
}
