import { instant, rowset, statement, timestamptz, uuid } from '../../../../db/index.ts';

/**
 * Gives due runs their turns: each starts at that time, and owes none any more. Without a turn
 * (`at`), and at a turn that has come, the run stays due. Locks runs in order of id. Returns their
 * start times.
 */
export const giveTurns = statement<{ startAt: Date }>('giveTurns').writes({
  params: { now: instant, turns: rowset({ runId: uuid, at: timestamptz.orNull }) },
  text: `
    with locked as (
      select w.run_id, w.due_at as former_at, greatest(w.due_at, t.at) as due_at
      from $turns as t join run_work w on w.run_id = t.run_id
      where w.owed_turn is not null and w.due_at <= $now and w.state = 'parked'
      order by w.run_id for update of w
    ),
    moved as (
      update run_work w set owed_turn = null, due_at = l.due_at, ends_at = w.ends_at + (l.due_at - l.former_at),
        position = w.position + (extract(epoch from l.due_at - l.former_at) * 1000000)::bigint
      from locked l
      where w.run_id = l.run_id
    )
    update run r set start_at = l.due_at from locked l where r.id = l.run_id
    returning r.start_at
  `,
});
