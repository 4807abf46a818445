import { statement, uuid } from '../../../db/index.ts';

/**
 * Deletes locked lanes, unless work has come since the look. No claim leases work of a locked lane,
 * so no lease loses its lane.
 */
export const deleteIdleLanes = statement<{ id: string }>('deleteIdleLanes').writes({
  params: { laneIds: uuid.list },
  text: `
    delete from webhook_lane l
    where l.id = any($laneIds)
      and not exists (select from webhook_work w where w.lease_id is null and w.lane = l.id)
      and not exists (select from webhook_work w where w.lease_id is not null and w.lane = l.id)
    returning l.id
  `,
});
