import { statement } from '../../db/statement.ts';

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

/** Runs whose wait for a runner is over. Rides `run_work_due_idx`. */
export const overdueStranded = statement<Params, OverdueRow>({
  name: 'overdueStranded',
  writes: false,
  text: `
    select w.run_id, r.app, r.workflow, r.runner, exists (
        select from lane l join runner n on n.project_id = l.project_id and n.app = l.app
        where l.id = w.lane_id and n.connected and l.workflow = any(n.workflows)
          and (l.runner = '' or n.runner_id = l.runner)
          and n.last_seen_at > coalesce($3::timestamptz, now()) - $1::float8 * interval '1 ms') as is_served
    from run_work w join run r on r.id = w.run_id
    where w.state in ('parked', 'stranded') and w.state = 'stranded' and w.due_at is not null
      and w.due_at <= coalesce($3::timestamptz, now())
    order by w.due_at limit $2
  `,
  values: ({ livenessMs, limit, now }) => [livenessMs, limit, now],
});
