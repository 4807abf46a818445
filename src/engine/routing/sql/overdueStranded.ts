import { statement } from '../../db/statement.ts';

interface Row {
  run_id: string;
  app: string;
  workflow: string;
  runner: string | null;
}

/** Runs whose wait for a runner is over. Rides `run_work_due_idx`. */
export const overdueStranded = statement<{ limit: number; now: Date | null }, Row>({
  name: 'overdueStranded',
  writes: false,
  text: `
    select w.run_id, r.app, r.workflow, r.runner
    from run_work w join run r on r.id = w.run_id
    where w.state in ('parked', 'stranded') and w.state = 'stranded' and w.due_at is not null
      and w.due_at <= coalesce($2::timestamptz, now())
    order by w.due_at limit $1
  `,
  values: ({ limit, now }) => [limit, now],
});
