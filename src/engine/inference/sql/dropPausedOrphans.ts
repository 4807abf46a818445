import { int, statement, uuid } from '../../db/index.ts';
import { isOrphanSql } from './orphanSql.ts';

interface Row {
  dropped: number;
  /** The last call of the page; null: there is none after it. */
  nextRunId: string | null;
  nextStepIndex: number | null;
}

/**
 * Deletes the paused calls of a page whose step does not wait. Walks the primary key: paused calls
 * are rarely orphans, and an index of them would cost each pause a write. A call that is resumed
 * meanwhile has another `ctid`, and a process will claim it.
 */
export const dropPausedOrphans = statement<Row>('dropPausedOrphans').writes({
  params: { afterRunId: uuid, afterStepIndex: int, limit: int },
  text: `
    with page as materialized (
      select ctid as version, run_id, step_index, attempt, paused_at from inference_call
      where (run_id, step_index) > ($afterRunId, $afterStepIndex)
      order by run_id, step_index limit $limit
    ),
    dropped as (
      delete from inference_call
      where ctid = any(array(select version from page p where p.paused_at is not null and ${isOrphanSql('p')}))
      returning 1
    ),
    last as (
      select run_id, step_index from page
      where (select count(*) from page) = $limit
      order by run_id desc, step_index desc limit 1
    )
    select (select count(*) from dropped)::int as dropped, (select run_id from last) as next_run_id,
      (select step_index from last) as next_step_index
  `,
});
