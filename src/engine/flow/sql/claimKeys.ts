import { float8, instant, ordinal, rowset, statement, text, uuid } from '../../db/index.ts';

const isOver = 'd.expires_at <= $now';

/**
 * SQL: how an insert into `dedupe_key as d` handles a key that is claimed already. A claim whose
 * window is over is replaced. A claim that holds is written as it is: only written rows are
 * returned, in the version of the transaction that was waited for. Returns the holder of each key.
 */
export const orHolder = `
      on conflict (project_id, scope, key) do update set
        ref_id = case when ${isOver} then excluded.ref_id else d.ref_id end,
        expires_at = case when ${isOver} then excluded.expires_at else d.expires_at end
      returning project_id, scope, key, ref_id`;

/** A key that counts once in its window. */
export interface KeyClaim {
  projectId: string;
  scope: string;
  key: string;
  /** The event or run that claims the key: the key stands for it from now on. */
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
 * Claims keys that are free, or whose window is over. The first of equal keys claims them. Keys are
 * taken in order, so that two transactions do not deadlock. A key that another transaction is
 * claiming is waited for; its holder is returned as that transaction leaves it (`orHolder`).
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
