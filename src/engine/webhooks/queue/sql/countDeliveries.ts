import { instant, statement } from '../../../db/index.ts';

interface Row {
  /** Due deliveries that no sender attempts, counted up to a limit. */
  due: number;
  /** How long the first of them has been due. */
  dueForMs: number;
  /** Endpoints that the service disabled. */
  disabledEndpoints: number;
}

/** Further due deliveries are not counted. */
export const countedDue = 10_000;

/** Figures for metrics. */
export const countDeliveries = statement<Row>('countDeliveries').reads({
  params: { now: instant },
  text: `
    select
      (select count(*) from (
        select from webhook_work where lease_id is null and due_at <= $now limit ${countedDue}
      ) due)::int as due,
      coalesce(greatest(0, extract(epoch from $now - (
        select min(due_at) from webhook_work where lease_id is null
      )) * 1000), 0)::float8 as due_for_ms,
      (select count(*) from webhook_endpoint where not enabled and disabled_at is not null)::int as disabled_endpoints
  `,
});
