import type pg from 'pg';

interface Deliveries {
  endpointId: string;
  count: number;
  /** JSON text of the body. */
  payload: string;
}

/**
 * Adds deliveries that are due at once, as a change of `count` runs would make them. Their ids sort
 * by time, as those of the service do.
 */
export async function addDeliveries(pool: pg.Pool, { endpointId, count, payload }: Deliveries): Promise<void> {
  await pool.query(
    `with made as (
       insert into webhook_delivery (id, project_id, app, endpoint_id, url, event_kind, payload, is_test, status)
       select (lpad(to_hex(floor(extract(epoch from now()) * 1000)::bigint - $2::int + n), 12, '0')
           || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(p.id::text || n), 1, 15))::uuid, p.project_id, 'bench', p.id, p.url, 'run.succeeded', $3, true, 'pending'
       from webhook_endpoint p cross join generate_series(1, $2::int) n where p.id = $1
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
