import type { EngineContext } from '../../context.ts';
import type { Queryable } from '../../db/index.ts';
import { isId } from '../../ids.ts';
import { cursorParts, decodeCursor, encodeCursor, type Page, toPage } from '../../paging/index.ts';
import { overlapMs, readSigningSecrets } from '../../secrets/index.ts';
import type { EndpointRow } from './endpoint.ts';
import { findEndpointRows } from './sql/findEndpointRows.ts';
import { listEndpointRows } from './sql/listEndpointRows.ts';

/** The context of a read, maybe with the connection of a transaction. */
export type ReadContext = Pick<EngineContext, 'clock'> & { db: Queryable };

export interface ConfigPage {
  projectId: string;
  /** The cursor of the last row of the previous page. */
  after: string | undefined;
  /** At least 1. */
  limit: number;
}

const order = 'webhookEndpoints.newest';

/**
 * A page of the endpoints of a project, newest first. Throws `invalid` on a cursor of another list.
 */
export async function listEndpoints(
  ctx: EngineContext,
  { projectId, after, limit }: ConfigPage,
): Promise<Page<EndpointRow>> {
  const [beforeId] = after === undefined ? [] : decodeCursor(order, after, [cursorParts.id]);
  const now = ctx.clock.sql();
  const rows = await listEndpointRows(ctx.db, { projectId, beforeId, overlapMs, now, limit: limit + 1 });
  return toPage(rows, limit, ({ id }) => encodeCursor(order, [id]));
}

/** Endpoints of a project by id, in any order. Unknown ids are left out. */
export async function findEndpoints(
  ctx: ReadContext,
  { projectId, ids }: { projectId: string; ids: readonly string[] },
): Promise<EndpointRow[]> {
  const known = ids.filter(isId);
  if (known.length === 0) return [];
  return findEndpointRows(ctx.db, { projectId, ids: known, overlapMs, now: ctx.clock.sql() });
}

/** An endpoint of a project; undefined if there is none with this id. */
export const findEndpoint = async (
  ctx: ReadContext,
  { projectId, id }: { projectId: string; id: string },
): Promise<EndpointRow | undefined> => (await findEndpoints(ctx, { projectId, ids: [id] }))[0];

/**
 * The secrets that sign an endpoint's deliveries: the present one, and for a day after a rotation
 * the one before. Empty if the endpoint has gone, or if its secret cannot be opened.
 */
export async function readEndpointSecrets(
  ctx: EngineContext,
  { projectId, endpointId }: { projectId: string; endpointId: string },
): Promise<string[]> {
  const { current, previous } = await readSigningSecrets(ctx, { projectId, kind: 'webhook_endpoint', id: endpointId });
  if (current === undefined) return [];
  return previous === undefined ? [current] : [current, previous];
}
