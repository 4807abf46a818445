import { isDeepStrictEqual } from 'node:util';
import { recordControl } from '../../audit/index.ts';
import type { EngineContext } from '../../context.ts';
import { hasRotated, type Rotated } from './rotation.ts';

/** The caller of a write, and its project. */
export interface Caller {
  projectId: string;
  /** The name of the caller's key. */
  actor: string | undefined;
}

type Kind = 'endpoint' | 'source';

interface Config {
  id: string;
  name: string | null;
}

// Entries name the object and the changed fields. They repeat no values: a URL may hold a secret.

const detailOf = (kind: Kind, { id, name }: Config): Record<string, unknown> => ({
  [`${kind}Id`]: id,
  ...(name !== null && { name }),
});

export async function auditCreation(ctx: EngineContext, caller: Caller, kind: Kind, created: Config): Promise<void> {
  const { projectId, actor } = caller;
  const detail = detailOf(kind, created);
  await recordControl(ctx, { projectId, actor, action: `create_webhook_${kind}`, detail });
  ctx.log.info({ projectId, ...detail }, `webhook ${kind} created`);
}

export async function auditDeletion(ctx: EngineContext, caller: Caller, kind: Kind, deleted: Config): Promise<void> {
  const { projectId, actor } = caller;
  const detail = detailOf(kind, deleted);
  await recordControl(ctx, { projectId, actor, action: `delete_webhook_${kind}`, detail });
  ctx.log.info({ projectId, ...detail }, `webhook ${kind} deleted`);
}

interface Change<Row> {
  before: Row;
  after: Row;
  rotated: Rotated;
}

/** Records a change of settings, and a change of secrets: one entry for each. */
export async function auditChange<Row extends Config & object>(
  ctx: EngineContext,
  caller: Caller,
  kind: Kind,
  { before, after, rotated }: Change<Row>,
): Promise<void> {
  const { projectId, actor } = caller;
  const detail = detailOf(kind, after);
  const fields = changedFields(before, after);
  if (fields.length > 0) {
    await recordControl(ctx, { projectId, actor, action: `update_webhook_${kind}`, detail: { ...detail, fields } });
    ctx.log.info({ projectId, ...detail, fields }, `webhook ${kind} changed`);
  }
  const { secret, hasRevoked } = rotated;
  if (!hasRotated(rotated)) return;
  const did = { ...(secret !== undefined && { rotated: true }), ...(hasRevoked && { revokedPrevious: true }) };
  await recordControl(ctx, { projectId, actor, action: 'rotate_webhook_secret', detail: { ...detail, ...did } });
  ctx.log.info({ projectId, ...detail, ...did }, `webhook ${kind} secret changed`);
}

/** Consequences of other fields, and of rotations. */
const derived: readonly string[] = ['updatedAt', 'disabledAt', 'previousSecretUntil'];

const changedFields = <Row extends object>(before: Row, after: Row): string[] => {
  const values = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after)
    .filter(([name, value]) => !derived.includes(name) && !isDeepStrictEqual(value, values.get(name)))
    .map(([name]) => name);
};
