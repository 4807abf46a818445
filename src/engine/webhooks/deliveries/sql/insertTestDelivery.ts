import { instant, json, statement, text, uuid } from '../../../db/index.ts';

/** Inserts a test delivery and its work. Answers no row if its endpoint is disabled or deleted. */
export const insertTestDelivery = statement<{ id: string }>('insertTestDelivery').writes({
  params: { now: instant, id: uuid, projectId: uuid, endpointId: uuid, app: text, eventKind: text, payload: json },
  text: `
    with delivery as (
      insert into webhook_delivery (id, project_id, app, endpoint_id, url, event_kind, payload, status, is_test, created_at, updated_at)
      select $id, p.project_id, $app, p.id, p.url, $eventKind, $payload, 'pending', true, $now, $now
      from webhook_endpoint p where p.id = $endpointId and p.project_id = $projectId and p.enabled
      returning id, project_id, endpoint_id
    ),
    known_lane as (
      insert into webhook_lane (id, project_id) select endpoint_id, project_id from delivery on conflict (id) do nothing
    )
    insert into webhook_work (delivery_id, project_id, lane, due_at)
    select id, project_id, endpoint_id, $now from delivery
    returning delivery_id as id
  `,
});
