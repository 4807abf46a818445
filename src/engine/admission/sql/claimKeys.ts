import { statement } from '../../db/index.ts';
import { orHolder } from '../../ingest/index.ts';

/** A key that counts once in its window. */
export interface KeyClaim {
  projectId: string;
  scope: string;
  key: string;
  /** What the key stands for from now on: the event or run that claims it. */
  refId: string;
  windowMs: number;
}

interface Row {
  ord: number;
  is_claimed: boolean;
  /** What holds the key now. */
  ref_id: string;
}

/**
 * Claims keys that nobody holds, or whose window is over. Equal keys are claimed by the first of them. Keys are taken in
 * order, so that two transactions do not deadlock; a key that another transaction is claiming is waited for, and its holder is
 * told as that transaction leaves it (`orHolder`).
 */
export const claimKeys = statement<{ claims: readonly KeyClaim[]; now: Date | null }, Row>({
  name: 'claimKeys',
  writes: true,
  text: `
    with asked as materialized (
      select * from unnest($2::int[], $3::uuid[], $4::text[], $5::text[], $6::uuid[], $7::float8[])
        as a(ord, project_id, scope, key, ref_id, window_ms)
    ),
    claimed as (
      insert into dedupe_key as d (project_id, scope, key, ref_id, expires_at)
      select project_id, scope, key, ref_id, coalesce($1::timestamptz, now()) + window_ms * interval '1 ms'
      from (
        select distinct on (project_id, scope, key) * from asked order by project_id, scope, key, ord
      ) first
      order by project_id, scope, key${orHolder('$1')}
    )
    select a.ord, c.ref_id = a.ref_id as is_claimed, c.ref_id
    from asked a join claimed c using (project_id, scope, key)
  `,
  values: ({ claims, now }) => [
    now,
    claims.map((_, ord) => ord),
    claims.map((each) => each.projectId),
    claims.map((each) => each.scope),
    claims.map((each) => each.key),
    claims.map((each) => each.refId),
    claims.map((each) => each.windowMs),
  ],
});
