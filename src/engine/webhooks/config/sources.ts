import type { EngineContext } from '../../context.ts';
import { isId } from '../../ids.ts';
import { cursorParts, decodeCursor, encodeCursor, type Page, toPage } from '../../paging/index.ts';
import { openSourceToken, overlapMs } from '../../secrets/index.ts';
import type { ConfigPage, ReadContext } from './endpoints.ts';
import type { ShownSource } from './source.ts';
import { findSourceRows } from './sql/findSourceRows.ts';
import { listSourceRows } from './sql/listSourceRows.ts';

const order = 'webhookSources.newest';

/**
 * A page of the sources of a project, newest first. Throws `invalid` on a cursor of another list.
 */
export async function listSources(
  ctx: EngineContext,
  { projectId, after, limit }: ConfigPage,
): Promise<Page<ShownSource>> {
  const [beforeId] = after === undefined ? [] : decodeCursor(order, after, [cursorParts.id]);
  const now = ctx.clock.sql();
  const rows = await listSourceRows(ctx.db, { projectId, beforeId, overlapMs, now, limit: limit + 1 });
  return toPage(rows, limit, ({ id }) => encodeCursor(order, [id]));
}

/** Sources of a project by id, in any order. Unknown ids are left out. */
export async function findSources(
  ctx: ReadContext,
  { projectId, ids }: { projectId: string; ids: readonly string[] },
): Promise<ShownSource[]> {
  const known = ids.filter(isId);
  if (known.length === 0) return [];
  return findSourceRows(ctx.db, { projectId, ids: known, overlapMs, now: ctx.clock.sql() });
}

/** A source of a project; undefined if there is none with this id. */
export const findSource = async (
  ctx: ReadContext,
  { projectId, id }: { projectId: string; id: string },
): Promise<ShownSource | undefined> => (await findSources(ctx, { projectId, ids: [id] }))[0];

/** The token in a source's address; undefined if it cannot be opened. */
export const tokenOf = (ctx: EngineContext, { projectId, id, sealedToken }: ShownSource): string | undefined =>
  sealedToken === null ? undefined : openSourceToken(ctx, projectId, id, sealedToken);

/** The address to which a sender posts; undefined if the service does not know its own address. */
export function receiveUrlOf({ settings: { baseUrl } }: EngineContext, token: string): string | undefined {
  return baseUrl === undefined ? undefined : `${baseUrl}/webhooks/${token}`;
}
