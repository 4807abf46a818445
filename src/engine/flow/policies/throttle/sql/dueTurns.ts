import { bigint, instant, statement } from '../../../../db/index.ts';

interface Row {
  runId: string;
  projectId: string;
  app: string;
  workflow: string;
  /** The scope of the turn. */
  scope: string;
}

/**
 * Delayed starts that are due and owe a turn, the earliest first. Rides `run_work_owed_idx`. The
 * rows are not locked: `giveTurns` decides again.
 */
export const dueTurns = statement<Row>('dueTurns').reads({
  params: { limit: bigint, now: instant },
  text: `
    select w.run_id, w.project_id, l.app, l.workflow, w.scope
    from (
      select run_id, project_id, lane_id, owed_turn as scope, due_at from run_work
      where owed_turn is not null and due_at <= $now and state = 'parked'
      order by due_at, run_id limit $limit
    ) w
    join lane l on l.id = w.lane_id
    order by w.due_at, w.run_id
  `,
});
