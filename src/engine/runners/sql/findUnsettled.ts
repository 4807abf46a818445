import { bigint, float8, instant, statement } from '../../db/index.ts';

interface Row {
  projectId: string;
  app: string;
  name: string;
}

/**
 * Workflows of all projects whose retirement may have to change (`settled`). Usually none. Replicas
 * of a runner share one list, so the lists are made distinct before they are unnested. Membership
 * is hashed. So the statement reads each workflow and each runner once.
 */
export const findUnsettled = statement<Row>('findUnsettled').reads({
  params: { retireMs: float8, livenessMs: float8, limit: bigint, now: instant },
  text: `
    with live as materialized (
      select distinct project_id, app, workflows
      from runner
      where connected and last_seen_at > $now - $livenessMs * interval '1 ms'
    ),
    served as materialized (
      select distinct project_id, app, name
      from live cross join unnest(live.workflows) as name
    ),
    judged as (
      select w.project_id, w.app, w.name, w.retired_at, w.unserved_at, w.held_by_hand,
        (w.project_id, w.app, w.name) in (select project_id, app, name from served) as is_served,
        (w.project_id, w.app) in (select project_id, app from live) as is_manned
      from workflow w
    )
    select project_id, app, name
    from judged
    where case
        when retired_at is not null then is_served and not held_by_hand
        when is_served then unserved_at is not null or held_by_hand
        when not is_manned then unserved_at is not null
        when held_by_hand then false
        else unserved_at is null or unserved_at > $now or unserved_at <= $now - $retireMs * interval '1 ms'
      end
    limit $limit`,
});
