import { instant, int, rowset, statement, text, uuid } from '../../db/index.ts';
import { likenessSql } from '../../runs/index.ts';

interface Row {
  runId: string;
  count: number;
  /** Whether the search ended at its limit. */
  isMore: boolean;
  first: Date | null;
  last: Date | null;
  runIds: string[] | null;
}

/** Runs that are named. */
const maxNamed = 3;

/**
 * How many runs of the same workflow failed alike in the last 24 h: at the same step, with the same
 * name and a like message of the error. Looks at the last failures of the workflow, which
 * `run_failed_idx` has in order, up to a limit. Only those with a like error cost a look at their
 * steps.
 */
export const countAlike = statement<Row>('countAlike').reads({
  params: {
    projectId: uuid,
    now: instant,
    /** Failures of each workflow that are examined. */
    limit: int,
    /** Failed runs, each with the step whose failure ended it. */
    failures: rowset({ runId: uuid, step: text.orNull }),
  },
  text: `
    select f.run_id, alike.count, examined.count >= $limit as is_more, alike.first, alike.last, alike.run_ids
    from $failures as f
    join run r on r.id = f.run_id and r.project_id = $projectId
    cross join lateral (
      select count(*)::int as count, array_agg(other.id order by other.ended_at desc)
        filter (where other.id <> r.id and other.likeness = ${likenessSql('r.error')}) as ids
      from (
        select id, ended_at, ${likenessSql('o.error')} as likeness from run o
        where o.project_id = $projectId and o.app = r.app and o.workflow = r.workflow and o.status = 'failed'
          and o.ended_at > $now - interval '24 hours'
        order by o.ended_at desc limit $limit
      ) other
    ) examined
    cross join lateral (
      select count(*)::int as count, min(o.ended_at) as first, max(o.ended_at) as last,
        (array_agg(o.id::text order by o.ended_at desc, o.id desc))[1:${maxNamed}] as run_ids
      from run o
      where o.id = any(examined.ids)
        and (f.step is null or exists (select from run_step s
          where s.run_id = o.id and s.name = f.step and s.status = 'failed' and not s.will_retry))
    ) alike`,
});
