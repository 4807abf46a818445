import { float8, instant, statement, uuid } from '../../../db/index.ts';

/** Locks an endpoint, unless it is disabled or gone. */
export const lockEnabledEndpoint = statement<{ id: string }>('lockEnabledEndpoint').reads({
  params: { projectId: uuid, endpointId: uuid },
  text: 'select id from webhook_endpoint where id = $endpointId and project_id = $projectId and enabled for update',
});

interface Row {
  name: string | null;
  url: string;
  failures: number;
  failingSince: Date;
}

/** Disables a locked endpoint if it still fails for longer than the limit. */
export const disableFailingEndpoint = statement<Row>('disableFailingEndpoint').writes({
  params: { now: instant, endpointId: uuid, disableAfterMs: float8 },
  text: `
    update webhook_endpoint e
    set enabled = false, disabled_at = $now, updated_at = $now
    from webhook_lane l
    where e.id = $endpointId and e.enabled and l.id = e.id
      and l.failures > 0 and l.failing_since <= $now - $disableAfterMs * interval '1 ms'
    returning e.name, e.url, l.failures, l.failing_since
  `,
});
