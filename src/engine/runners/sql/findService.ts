import { float8, instant, statement, uuid } from '../../db/index.ts';

interface Row {
  id: string;
  isServed: boolean;
  isManned: boolean;
  now: Date;
}

/** Which workflows live runners serve, over all processes, and whether their app has any (2.12). */
export const findService = statement<Row>('findService').reads({
  params: { workflowIds: uuid.list, livenessMs: float8, now: instant },
  text: `
    select w.id,
      exists (
        select from runner r
        where r.project_id = w.project_id and r.app = w.app and r.connected and w.name = any(r.workflows)
          and r.last_seen_at > $now - $livenessMs * interval '1 ms'
      ) as is_served,
      exists (
        select from runner r
        where r.project_id = w.project_id and r.app = w.app and r.connected
          and r.last_seen_at > $now - $livenessMs * interval '1 ms'
      ) as is_manned,
      $now as now
    from workflow w
    where w.id = any($workflowIds)`,
});
