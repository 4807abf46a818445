import { instant, json, rowset, statement, text, uuid } from '../../db/index.ts';

/**
 * Enqueues the custom sends of one answer, all with one statement. Lanes are inserted in order of
 * id, so that two answers that are the first for the same lanes wait for each other without a
 * deadlock. A lane that exists is not locked.
 */
export const insertCustomSends = statement<never>('insertCustomSends').writes({
  params: {
    now: instant,
    projectId: uuid,
    app: text,
    runId: uuid,
    sends: rowset({ id: uuid, lane: uuid, url: text, payload: json }),
  },
  text: `
    with known_lane as (
      insert into webhook_lane (id, project_id)
      select distinct s.lane, $projectId::uuid from $sends as s order by s.lane
      on conflict (id) do nothing
    ), delivery as (
      insert into webhook_delivery (id, project_id, app, url, event_kind, run_id, payload, status, created_at, updated_at)
      select s.id, $projectId, $app, s.url, 'custom', $runId, s.payload, 'pending', $now, $now from $sends as s
    )
    insert into webhook_work (delivery_id, project_id, lane, due_at)
    select s.id, $projectId, s.lane, $now from $sends as s
  `,
});
