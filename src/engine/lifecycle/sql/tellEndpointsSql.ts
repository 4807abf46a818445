/**
 * SQL: whether deliveries are written for an endpoint. One that the service disabled misses them:
 * its deliveries are dead from the start, so that they can be redelivered.
 */
export const isHeardSql = (endpoint: string): string => `(${endpoint}.enabled or ${endpoint}.disabled_at is not null)`;

/**
 * SQL: whether a project has such an endpoint. The short statements of commits skip its runs, so
 * that `commitPasses` writes their deliveries.
 */
export const hasEndpointsSql = (projectId: string): string =>
  `exists (select from webhook_endpoint p where p.project_id = ${projectId} and ${isHeardSql('p')})`;

/**
 * SQL: the table expressions that write a delivery for each endpoint that subscribes to a change
 * (6.2). The statement that makes the change includes them. So a delivery exists exactly if the
 * change was committed.
 *
 * `changes` selects what ended: `project_id`, `run_id`, `event_kind`, `run_status` as of now (null:
 * unchanged), `step_index` and `step_attempt` (null for a run), and the instant `at`. The change,
 * its endpoint and its instant determine a delivery's id, a UUIDv7. Within a millisecond, ids sort
 * by the position of the step, and the run comes last.
 *
 * The row is narrow: the body is read from the run and its step, which keep what they say.
 * Endpoints come first, so a project without any costs one look at an index.
 */
export const tellEndpointsSql = (changes: string): string => `
    change as (${changes}
    ),
    told as (
      select c.*, r.app, r.status, p.id as endpoint_id, p.url, p.enabled
      from change c
      join webhook_endpoint p on p.project_id = c.project_id and ${isHeardSql('p')} and c.event_kind = any(p.event_kinds)
      join run r on r.id = c.run_id and (p.app is null or p.app = r.app)
    ),
    delivery as (
      insert into webhook_delivery (id, project_id, app, endpoint_id, url, event_kind, run_id, run_status, step_index, step_attempt,
        status, created_at, updated_at)
      select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0')
          || '7' || lpad(to_hex(least(coalesce(step_index, 4095), 4095)), 3, '0') || '8' || substr(hash, 1, 15))::uuid,
        project_id, app, endpoint_id, url, event_kind, run_id, coalesce(run_status, status), step_index, step_attempt,
        case when enabled then 'pending' else 'dead' end, at, at
      from told cross join lateral (
        select md5(concat_ws('/', run_id, event_kind, step_index, step_attempt, endpoint_id)) as hash
      ) h
      returning id, project_id, endpoint_id, created_at, status
    ),
    delivery_work as (
      insert into webhook_work (delivery_id, project_id, lane, due_at)
      select id, project_id, endpoint_id, created_at from delivery where status = 'pending'
    )`;

/** The end of a step, of rows with `project_id` and with the columns of `run_step`, as a change. */
export const stepChangeSql = (step: string, runStatus: string): string => `
      select ${step}.project_id, ${step}.run_id, 'step.' || ${step}.status as event_kind, ${runStatus} as run_status,
        ${step}.index as step_index, ${step}.attempt as step_attempt, ${step}.ended_at as at`;
