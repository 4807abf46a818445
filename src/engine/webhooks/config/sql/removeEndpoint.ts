import { statement, uuid } from '../../../db/index.ts';

/** Deletes an endpoint and its lane. Its deliveries stay, and senders skip the unfinished ones. */
export const removeEndpoint = statement<{ id: string }>('removeEndpoint').writes({
  params: { id: uuid },
  text: `
    with endpoint as (
      delete from webhook_endpoint
      where id = $id
      returning id
    ), lane as (
      delete from webhook_lane
      using endpoint
      where webhook_lane.id = endpoint.id
    )
    select id
    from endpoint`,
});
