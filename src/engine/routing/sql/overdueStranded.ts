import { statement } from '../../db/index.ts';
import { hasLiveRunner } from './hasLiveRunner.ts';

interface Params {
  livenessMs: number;
  limit: number;
  now: Date | null;
}

export interface OverdueRow {
  run_id: string;
  app: string;
  workflow: string;
  runner: string | null;
  /** A live runner could take it by now. */
  is_served: boolean;
}

/** Runs whose wait for a runner is over. Rides `run_work_due_idx`; one look at runners per lane. */
export const overdueStranded = statement<Params, OverdueRow>({
  name: 'overdueStranded',
  writes: false,
  text: `
    with overdue as materialized (
      select run_id, lane_id, due_at from run_work
      where state in ('parked', 'stranded') and state = 'stranded' and due_at is not null
        and due_at <= coalesce($3::timestamptz, now())
      order by due_at limit $2
    ),
    served as materialized (
      select l.id from lane l
      where l.id = any(array(select distinct lane_id from overdue)) and ${hasLiveRunner('l', '$1::float8', 'coalesce($3::timestamptz, now())')}
    )
    select o.run_id, r.app, r.workflow, r.runner, o.lane_id in (select id from served) as is_served
    from overdue o join run r on r.id = o.run_id
    order by o.due_at
  `,
  values: ({ livenessMs, limit, now }) => [livenessMs, limit, now],
});
