import { statement, uuid } from '../../../db/index.ts';
import { type DeliveryRow, deliveryColumns } from '../reads/deliveryRow.ts';

/** Deliveries of a project by id, unordered. */
export const selectDeliveryRows = statement<DeliveryRow>('selectDeliveryRows').reads({
  params: { projectId: uuid, ids: uuid.list },
  text: `
    select ${deliveryColumns} from webhook_delivery d where d.id = any($ids) and d.project_id = $projectId
  `,
});
