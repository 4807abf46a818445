import { float8, instant, ordinal, rowset, statement, text, uuid } from '../../db/index.ts';

const isOver = 'd.expires_at <= $now';

/**
 * SQL: handles a key that is already claimed, in an insert into `dedupe_key as d`. An expired claim
 * is replaced. A valid claim is rewritten unchanged, because only written rows are returned. The
 * row is the version that the awaited transaction left. Returns the holder of each key.
 */
export const orHolder = `
      on conflict (project_id, scope, key) do update set
        ref_id = case when ${isOver} then excluded.ref_id else d.ref_id end,
        expires_at = case when ${isOver} then excluded.expires_at else d.expires_at end
      returning project_id, scope, key, ref_id`;

/** A key that allows one start per window. */
export interface KeyClaim {
  projectId: string;
  scope: string;
  key: string;
  /** The event or run that claims the key. */
  refId: string;
  windowMs: number;
}

interface Row {
  ord: number;
  isClaimed: boolean;
  /** The event or run that holds the key now. */
  refId: string;
}

/**
 * Claims keys that are free or expired. The first of equal keys claims them. Keys are sorted, so
 * that two transactions cannot deadlock. If another transaction is claiming a key, the statement
 * waits, and returns the holder that results (`orHolder`).
 */
export const claimKeys = statement<Row>('claimKeys').writes({
  params: {
    now: instant,
    claims: rowset({ ord: ordinal, projectId: uuid, scope: text, key: text, refId: uuid, windowMs: float8 }),
  },
  text: `
    with asked as materialized (
      select * from $claims as a
    ),
    claimed as (
      insert into dedupe_key as d (project_id, scope, key, ref_id, expires_at)
      select project_id, scope, key, ref_id, $now + window_ms * interval '1 ms'
      from (
        select distinct on (project_id, scope, key) * from asked order by project_id, scope, key, ord
      ) first
      order by project_id, scope, key${orHolder}
    )
    select a.ord, c.ref_id = a.ref_id as is_claimed, c.ref_id
    from asked a join claimed c using (project_id, scope, key)
  `,
});
