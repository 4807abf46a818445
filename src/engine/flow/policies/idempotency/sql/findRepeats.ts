import { ordinal, rowset, statement, text, uuid } from '../../../../db/index.ts';

/** A call whose key is already claimed, and the calling step. */
export interface HeldCall {
  projectId: string;
  scope: string;
  key: string;
  parentRunId: string;
  parentStep: string;
}

const maxForks = 1000;

/**
 * The calls that repeat the holder of their key. Such a call comes from the same step of the same
 * run, or of a run with the same fork source. The key cannot change meanwhile, because `claimKeys`
 * locks it even without claiming it.
 */
export const findRepeats = statement<{ ord: number }>('findRepeats').reads({
  params: {
    calls: rowset({ ord: ordinal, projectId: uuid, scope: text, key: text, parentRunId: uuid, parentStep: text }),
  },
  text: `
    with recursive asked as (
      select a.ord, a.parent_run_id, h.parent_run_id as holder_id
      from $calls as a
      join dedupe_key d on d.project_id = a.project_id and d.scope = a.scope and d.key = a.key
      join run h on h.id = d.ref_id and h.parent_step = a.parent_step
    ),
    line as (
      select ord, parent_run_id as run_id, true as is_asking, 0 as forks from asked
      union all
      select ord, holder_id, false, 0 from asked
      union all
      select l.ord, r.replay_of, l.is_asking, l.forks + 1
      from line l join run r on r.id = l.run_id
      where r.replay_of is not null and l.forks < ${maxForks}
    ),
    source as (
      select distinct on (ord, is_asking) ord, run_id from line order by ord, is_asking, forks desc
    )
    select ord from source group by ord having count(distinct run_id) = 1
  `,
});
