import { statement, uuid } from '../../../db/index.ts';

/** The endpoint of a delivery, which never changes; null for a custom send. */
export const findDeliveryEndpoint = statement<{ endpointId: string | null }>('findDeliveryEndpoint').reads({
  params: { projectId: uuid, id: uuid },
  text: 'select endpoint_id from webhook_delivery where id = $id and project_id = $projectId',
});
