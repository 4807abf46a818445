import { bigint, statement, uuid } from '../../../db/index.ts';
import { type DeliveryRow, deliveryColumns } from '../reads/deliveryRow.ts';

/** Deliveries of runs, newest first, with a limit per run. Rides `webhook_delivery_run_idx`. */
export const selectRunDeliveries = statement<DeliveryRow & { runId: string }>('selectRunDeliveries').reads({
  params: {
    projectId: uuid,
    runIds: uuid.list,
    /** The maximum number of deliveries per run. */
    limit: bigint,
  },
  text: `
    select ${deliveryColumns}
    from unnest($runIds) as wanted (run_id)
    cross join lateral (
      select * from webhook_delivery o where o.run_id = wanted.run_id order by o.created_at desc, o.id desc limit $limit
    ) d
    where d.project_id = $projectId
    order by d.run_id, d.created_at desc, d.id desc
  `,
});
