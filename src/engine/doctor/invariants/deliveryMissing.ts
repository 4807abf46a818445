import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  kind: string;
  endpointId: string;
}

/**
 * An endpoint has a delivery of each end of a run that it subscribes to. A run that ended before
 * the endpoint was last changed proves nothing, nor does one that ended during a deployment.
 */
export const deliveryMissing = defineCheck<Row>({
  invariant: 'I7',
  name: 'deliveryMissing',
  text: `
    select r.id as subject, r.project_id, 'run.' || r.status as kind, p.id as endpoint_id
    from run r
    join webhook_endpoint p on p.project_id = r.project_id and p.enabled and 'run.' || r.status = any(p.event_kinds)
      and (p.app is null or p.app = r.app) and p.updated_at < r.ended_at - interval '1 second'
    where r.id >= $floorId and r.ended_at is not null
      and not exists (
        select from webhook_delivery d
        where d.run_id = r.id and d.endpoint_id = p.id and d.event_kind = 'run.' || r.status)
    limit $limit`,
  describe: ({ subject, kind, endpointId }) => `endpoint ${endpointId} has no delivery of ${kind} for run ${subject}`,
});
