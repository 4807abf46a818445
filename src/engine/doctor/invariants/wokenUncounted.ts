import { defineCheck, type FoundRow, leadingField } from './check.ts';

interface Row extends FoundRow {
  name: string;
  eventId: string;
}

/**
 * A wait that holds an event is counted by that event. Forks are omitted, because they copy the
 * memo of their source.
 */
export const wokenUncounted = defineCheck<Row>({
  invariant: 'I9',
  name: 'wokenUncounted',
  text: `
    select run.id as subject, run.project_id, held.name, held.event_id
    from (
      select run_id, name, case when event_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then event_id::uuid end as event_id
      from (
        select run_id, name, ${leadingField('output', 'id')} as event_id
        from run_step
        where run_id >= $floorId and op = 'WaitForEvent' and status = 'succeeded'
      ) memo
    ) held
    join run on run.id = held.run_id and run.replay_of is null
    left join event on event.id = held.event_id and event.project_id = run.project_id
    where held.event_id is not null and (event.id is null or not run.id = any(coalesce(event.woke_runs, '{}')))
    limit $limit`,
  describe: ({ subject, name, eventId }) =>
    `step ${JSON.stringify(name)} of run ${subject} was woken by event ${eventId}, which does not count it`,
});
