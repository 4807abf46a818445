import type { EngineContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import { findProject, type Project } from '../projects/index.ts';
import { mintSecret } from './mintSecret.ts';
import { boundTo, openIfReadable, type SecretKind, sealSecret } from './seal.ts';
import { listSealedSecrets, type SealedSecretRow } from './sql/listSealedSecrets.ts';
import { putSealedSecrets } from './sql/putSealedSecrets.ts';

const kinds: readonly SecretKind[] = ['invoke', 'invoke_previous', 'provider'];

/**
 * Gives each app of a project a new invoke secret, and seals its provider keys again. Runners get
 * the new secret at their next registration. Until then, for up to a day, invokes are signed with
 * the old one too. Secrets that cannot be opened: invoke secrets are replaced,
 * provider keys stay and must be set again. Secrets of webhooks stay: each has a rotation
 * of its own. Throws `notFound`.
 */
export async function rotateProjectSecrets(ctx: EngineContext, { projectId }: { projectId: string }): Promise<Project> {
  const [project] = isId(projectId) ? await findProject(ctx.db, { id: projectId }) : [];
  if (!project) throw notFound('project not found');
  await ctx.db.transaction(async (tx) => {
    const rows = await listSealedSecrets(tx, { projectId, kinds });
    const secrets = rows.flatMap((row) => successors(ctx, projectId, row));
    await putSealedSecrets(tx, { projectId, secrets, now: ctx.clock.sql() });
    // Cached copies of the secrets are dropped with the registry's.
    tx.afterCommit(() => ctx.bus.emit('registry.changed', { projectId }));
  });
  ctx.log.info({ projectId }, 'project secrets rotated');
  return project;
}

/** The rows that replace a row. The previous secret is dropped, because only one overlaps. */
function successors(ctx: EngineContext, projectId: string, { kind, name, sealed }: SealedSecretRow): SealedSecretRow[] {
  if (kind === 'invoke_previous') return [];
  const text = openIfReadable(ctx, sealed, boundTo({ projectId, kind, name }));
  const seal = (secret: string, under: string): SealedSecretRow => {
    return { kind: under, name, sealed: sealSecret(ctx, secret, boundTo({ projectId, kind: under, name })) };
  };
  const again = text === undefined ? undefined : seal(text, kind === 'invoke' ? 'invoke_previous' : kind);
  if (kind === 'invoke') return [seal(mintSecret(), kind), ...(again ? [again] : [])];
  if (again) return [again];
  ctx.log.warn({ projectId, kind, name }, 'secret unreadable: set it again');
  return [];
}
