import type { EngineContext } from '../context.ts';
import type { Queryable } from '../db/index.ts';
import { mintSecret, overlapMs } from './mintSecret.ts';
import { boundTo, openIfReadable, type SecretKind, sealSecret } from './seal.ts';
import { addSealedSecret } from './sql/addSealedSecret.ts';
import { findSealedSecret } from './sql/findSealedSecret.ts';

export interface InvokeScope {
  projectId: string;
  app: string;
}

/**
 * The secret that signs invokes to the HTTP runners of an app. The first use creates it. A secret
 * that cannot be opened is replaced. Concurrent processes all get the same one. Pass `db` to run
 * inside a transaction.
 */
export async function ensureInvokeSecret(
  ctx: EngineContext,
  scope: InvokeScope,
  db: Queryable = ctx.db,
): Promise<string> {
  const known = await read(ctx, scope, 'invoke', db);
  if (known?.secret !== undefined) return known.secret;
  const ref = { projectId: scope.projectId, kind: 'invoke', name: scope.app };
  const sealed = sealSecret(ctx, mintSecret(), boundTo(ref));
  const added = await addSealedSecret(db, { ...ref, sealed, unreadable: known?.sealed, now: ctx.clock.sql() });
  const kept = await read(ctx, scope, 'invoke', db);
  if (kept?.secret === undefined) throw new Error(`no invoke secret for app ${scope.app}`);
  if (added.length > 0) {
    if (known) ctx.log.warn(ref, 'invoke secret unreadable: replaced by a new one');
    // Dispatchers without a secret read it again.
    ctx.bus.emit('registry.changed', { projectId: scope.projectId });
  }
  return kept.secret;
}

/**
 * The secrets that an app's runners may know: the current one and, for a day after a rotation, the
 * previous one. A signature has an `s=` for each. Empty if the current one cannot be opened:
 * registering runners get a new one.
 */
export async function readInvokeSecrets(ctx: EngineContext, scope: InvokeScope): Promise<string[]> {
  const [current, previous] = await Promise.all([
    read(ctx, scope, 'invoke', ctx.db),
    read(ctx, scope, 'invoke_previous', ctx.db),
  ]);
  if (current?.secret === undefined) return [];
  const overlaps = previous && ctx.clock.now().getTime() - previous.updatedAt.getTime() < overlapMs;
  return overlaps && previous.secret !== undefined ? [current.secret, previous.secret] : [current.secret];
}

interface StoredSecret {
  sealed: Buffer;
  /** Undefined if it cannot be opened. */
  secret: string | undefined;
  updatedAt: Date;
}

async function read(
  ctx: EngineContext,
  { projectId, app }: InvokeScope,
  kind: SecretKind,
  db: Queryable,
): Promise<StoredSecret | undefined> {
  const ref = { projectId, kind, name: app };
  const [row] = await findSealedSecret(db, ref);
  return row && { ...row, secret: openIfReadable(ctx, row.sealed, boundTo(ref)) };
}
