import type { EngineContext } from '../../context.ts';
import { errorCode, type Transaction } from '../../db/index.ts';
import { type ConflictReason, conflict, notFound } from '../../errors.ts';
import { bumpRegistry } from '../../runners/index.ts';

const reasons: ReadonlyMap<unknown, ConflictReason> = new Map([
  ['webhook_endpoint_project_id_name_key', 'endpointNameInUse'],
  ['webhook_endpoint_url_idx', 'endpointUrlSubscribed'],
  ['webhook_source_project_id_name_key', 'sourceNameInUse'],
  ['webhook_source_token_hash_key', 'tokenInUse'],
]);

/**
 * Runs a write of the configuration in one transaction. Throws `conflict` if an index refuses it.
 */
export async function write<T>(ctx: EngineContext, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await ctx.db.transaction(work);
  } catch (error) {
    const isTaken = errorCode(error) === '23505' && error instanceof Error && 'constraint' in error;
    const reason = isTaken ? reasons.get(error.constraint) : undefined;
    throw reason === undefined ? error : conflict(reason);
  }
}

/**
 * Outdates the cached copies of a project, which say whether it has endpoints. Last in the
 * transaction: the row is busy (R2). Throws `notFound` if the project has gone.
 */
export async function outdate(ctx: EngineContext, tx: Transaction, projectId: string): Promise<void> {
  if ((await bumpRegistry(tx, { projectId })).length === 0) throw notFound('project not found');
  tx.afterCommit(() => ctx.bus.emit('registry.changed', { projectId }));
}
