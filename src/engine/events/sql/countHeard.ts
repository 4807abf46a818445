import { statement, uuid } from '../../db/index.ts';

/**
 * Counts a run among those that events have woken: the commit that would begin its waits ends them.
 * The caller has locked the run, as in `settleWaits`. Events are locked in order. An event counts a
 * run once.
 */
export const countHeard = statement<never>('countHeard').writes({
  params: { runId: uuid, eventIds: uuid.list },
  text: `
    with locked as (select id from event where id = any($eventIds) order by id for update)
    update event e set woke = e.woke + 1, woke_runs = e.woke_runs || $runId::uuid
    from locked l
    where e.id = l.id and not $runId = any(e.woke_runs)
  `,
});
