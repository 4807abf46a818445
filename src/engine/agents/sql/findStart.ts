import { statement, text, uuid } from '../../db/index.ts';

/**
 * Whether a key started a run as an agent, or a run that led to it: its parent, the failed run that
 * it follows, a run that emitted one of its events. A fork has only its own start, because the key
 * that asked for the fork started it. Each step rides a primary key.
 */
export const findStart = statement<{ found: boolean }>('findStart').reads({
  params: { runId: uuid, key: text },
  text: `
    with recursive line (id) as (
      select $runId
      union
      select cause.id
      from line
      join run on run.id = line.id and run.replay_of is null
      cross join lateral (
        select run.parent_run_id as id
        union all
        select run.on_failure_of
        union all
        select event.source_run_id from event where event.id = run.event_id
        union all
        select event.source_run_id
        from json_array_elements(coalesce(run.events, '[]')) as batched (item)
        join event on event.id = (batched.item ->> 'id')::uuid
      ) cause
      where cause.id is not null
    )
    select exists (
      select from line join agent_start on agent_start.run_id = line.id where agent_start.key = $key
    ) as found
  `,
});
