import { bigint, float8, instant, statement } from '../../db/index.ts';
import { hasLiveRunner } from './strandRuns.ts';

export interface OverdueRow {
  runId: string;
  app: string;
  workflow: string;
  runner: string | null;
  /** Whether a live runner could execute it now. */
  isServed: boolean;
}

/**
 * Stranded runs whose wait has timed out. Rides `run_work_due_idx`, and looks up runners once per
 * lane.
 */
export const overdueStranded = statement<OverdueRow>('overdueStranded').reads({
  params: { livenessMs: float8, limit: bigint, now: instant },
  text: `
    with overdue as materialized (
      select run_id, lane_id, due_at from run_work
      where state in ('parked', 'stranded') and state = 'stranded' and due_at is not null
        and due_at <= $now
      order by due_at limit $limit
    ),
    served as materialized (
      select l.id from lane l
      where l.id = any(array(select distinct lane_id from overdue)) and ${hasLiveRunner('l')}
    )
    select o.run_id, r.app, r.workflow, r.runner, o.lane_id in (select id from served) as is_served
    from overdue o join run r on r.id = o.run_id
    order by o.due_at
  `,
});
