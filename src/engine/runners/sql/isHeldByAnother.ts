import { isNotFoundDead } from '../../work/index.ts';

/**
 * SQL: whether a row of `runner` belongs to another connection than that: to the open socket of a
 * dispatcher that is there, or to a URL. A row of a dispatcher that is gone holds no place: its
 * heartbeat has ended, so it would never be found silent.
 */
export const isHeldByAnother = (row: string, connectionId: string): string =>
  `(${row}.connected and ${row}.connection_id <> ${connectionId}
    and (${row}.dispatcher_id is null or exists (select from dispatcher d where d.id = ${row}.dispatcher_id and ${isNotFoundDead})))`;
