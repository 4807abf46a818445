import type { EngineContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import { findProject, type Project } from '../projects/index.ts';
import { mintInvokeSecret } from './invokeSecrets.ts';
import { boundTo, openIfOurs, sealSecret } from './seal.ts';
import { listSealedSecrets, type SealedSecretRow } from './sql/listSealedSecrets.ts';
import { putSealedSecrets } from './sql/putSealedSecrets.ts';

/**
 * Gives every app of a project a new invoke secret, and seals its provider keys afresh. Runners
 * learn the new secret when they register next; until then, and for a day at most, invokes are
 * signed with the old one too. What was sealed under another operator key is no obstacle: such an
 * invoke secret is replaced, such a provider key stays as it is, to be set anew. Throws `notFound`.
 */
export async function rotateProjectSecrets(ctx: EngineContext, { projectId }: { projectId: string }): Promise<Project> {
  const [project] = isId(projectId) ? await findProject(ctx.db, { id: projectId }) : [];
  if (!project) throw notFound('project not found');
  await ctx.db.transaction(async (tx) => {
    const rows = await listSealedSecrets(tx, { projectId });
    const secrets = rows.flatMap((row) => successors(ctx, projectId, row));
    await putSealedSecrets(tx, { projectId, secrets, now: ctx.clock.sql() });
    // Cached copies of the secrets go with the registry's.
    tx.afterCommit(() => ctx.bus.emit('registry.changed', { projectId }));
  });
  ctx.log.info({ projectId }, 'project secrets rotated');
  return project;
}

/** What takes the place of a row. The secret before the current one goes: only one overlaps. */
function successors(ctx: EngineContext, projectId: string, { kind, name, sealed }: SealedSecretRow): SealedSecretRow[] {
  if (kind === 'invoke_previous') return [];
  const text = openIfOurs(ctx, sealed, boundTo({ projectId, kind, name }));
  const seal = (secret: string, under: string): SealedSecretRow => {
    return { kind: under, name, sealed: sealSecret(ctx, secret, boundTo({ projectId, kind: under, name })) };
  };
  const again = text === undefined ? undefined : seal(text, kind === 'invoke' ? 'invoke_previous' : kind);
  if (kind === 'invoke') return [seal(mintInvokeSecret(), kind), ...(again ? [again] : [])];
  if (again) return [again];
  ctx.log.warn({ projectId, kind, name }, 'a secret was sealed under another operator key: it is to be set anew');
  return [];
}
