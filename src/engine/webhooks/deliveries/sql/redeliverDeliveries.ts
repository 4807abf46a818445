import { instant, rowset, statement, uuid } from '../../../db/index.ts';

/**
 * Makes deliveries due now with a new budget (3.3), unless an attempt of theirs is in flight.
 * Answers the ids of those made due. A finished delivery has no work, so the work is inserted; the
 * conflict waits for a claim or an outcome that is being committed, and sees its lease. Lanes and
 * work are locked in the order of their ids, before the deliveries.
 */
export const redeliverDeliveries = statement<{ id: string }>('redeliverDeliveries').writes({
  params: { now: instant, projectId: uuid, deliveries: rowset({ id: uuid, lane: uuid }) },
  text: `
    with known_lane as (
      insert into webhook_lane (id, project_id)
      select distinct n.lane, $projectId::uuid from $deliveries as n order by n.lane
      on conflict (id) do nothing
    ),
    due as (
      insert into webhook_work (delivery_id, project_id, lane, due_at)
      select d.id, d.project_id, n.lane, $now
      from $deliveries as n join webhook_delivery d on d.id = n.id and d.project_id = $projectId
      order by d.id
      on conflict (delivery_id) do update set due_at = excluded.due_at, attempts = 0
      where webhook_work.lease_id is null
      returning delivery_id
    )
    update webhook_delivery d set status = 'pending', next_attempt_at = null, updated_at = $now
    from due where d.id = due.delivery_id
    returning d.id
  `,
});
