import type pg from 'pg';

interface Deliveries {
  endpointId: string;
  count: number;
  /** JSON text of the body. */
  payload: string;
}

/** Adds deliveries that are due at once, as a change of `count` runs would make them. */
export async function addDeliveries(pool: pg.Pool, { endpointId, count, payload }: Deliveries): Promise<void> {
  await pool.query(
    `with made as (
       insert into webhook_delivery (id, project_id, app, endpoint_id, url, event_kind, payload, is_test, status)
       select gen_random_uuid(), p.project_id, 'bench', p.id, p.url, 'run.succeeded', $3, true, 'pending'
       from webhook_endpoint p cross join generate_series(1, $2::int) where p.id = $1
       returning id, project_id, endpoint_id
     )
     insert into webhook_work (delivery_id, project_id, lane, due_at) select id, project_id, endpoint_id, now() from made`,
    [endpointId, count, payload],
  );
  await pool.query('analyze webhook_work; analyze webhook_delivery');
}

/** How many deliveries are still to be attempted for an endpoint. */
export async function countDue(pool: pg.Pool, endpointId: string): Promise<number> {
  const { rows } = await pool.query<{ due: number }>('select count(*)::int as due from webhook_work where lane = $1', [
    endpointId,
  ]);
  return rows[0]?.due ?? 0;
}
