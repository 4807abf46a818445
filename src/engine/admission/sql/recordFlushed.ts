import { rowset, statement, text, uuid } from '../../db/index.ts';

/** A run from a buffer, with one of its events. */
export interface FlushedEvent {
  eventId: string;
  app: string;
  workflow: string;
  runId: string;
}

/**
 * Adds the run to the `triggered` entries of its events, beside the reason for the delay. Event
 * rows are locked last in the transaction, in id order, like in `settleWaits`. The update reads the
 * row as it is under the lock.
 */
export const recordFlushed = statement<Record<string, never>>('recordFlushed').writes({
  params: { flushed: rowset({ eventId: uuid, app: text, workflow: text, runId: uuid }) },
  text: `
    with told as materialized (
      select event_id, array_agg(app) as apps, array_agg(workflow) as workflows, array_agg(run_id) as run_ids
      from $flushed as t
      group by event_id
    ),
    locked as materialized (
      select e.id, told.apps, told.workflows, told.run_ids from told join event e on e.id = told.event_id
      order by e.id
      for no key update of e
    )
    update event e set triggered = (
      select json_agg(coalesce(
        (select (entry::jsonb || jsonb_build_object('runId', t.run_id))::json
          from unnest(l.apps, l.workflows, l.run_ids) as t(app, workflow, run_id)
          where t.app = entry ->> 'app' and t.workflow = entry ->> 'workflow'),
        entry) order by position)
      from json_array_elements(e.triggered) with ordinality as each (entry, position))
    from locked l where e.id = l.id
  `,
});
