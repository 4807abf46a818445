import type { BufferScene } from './bufferScene.ts';

const scopeText = `coalesce(r.input ->> 'k', '') || '/' || coalesce(r.runner, '')`;

/** The events of a workflow's runs, by scope, in the order of the runs. */
export async function startedBy(scene: BufferScene, workflow: string): Promise<[string, number[]][]> {
  const { rows } = await scene.test.db.query<{ scope: string; n: number[] }>(
    `select ${scopeText} as scope, array_agg((r.input ->> 'n')::int order by r.id) as n
     from run r where r.project_id = $1 and r.workflow = $2 group by 1`,
    [scene.projectId, workflow],
  );
  return rows.map(({ scope, n }) => [scope, n]);
}

/** The number of events in each batched run of a workflow, by scope. */
export async function sizesOf(scene: BufferScene, workflow: string): Promise<[string, number[]][]> {
  const { rows } = await scene.test.db.query<{ scope: string; sizes: number[] }>(
    `select ${scopeText} as scope, array_agg(json_array_length(r.events)) as sizes
     from run r where r.project_id = $1 and r.workflow = $2 group by 1`,
    [scene.projectId, workflow],
  );
  return rows.map(({ scope, sizes }) => [scope, sizes]);
}

/** All buffers, with times in ms. */
export async function buffered(scene: BufferScene) {
  const { rows } = await scene.test.db.query<{
    workflow: string;
    scope: string;
    items: number;
    due: Date;
    since: Date;
    is_open: boolean;
  }>(
    `select workflow, substr(key, 2) || '/' || runner as scope, items, flush_at as due, created_at as since, not closed as is_open
     from flow_buffer where project_id = $1 order by id`,
    [scene.projectId],
  );
  return rows.map(({ due, since, is_open: isOpen, ...row }) => ({
    ...row,
    isOpen,
    due: due.getTime(),
    since: since.getTime(),
  }));
}

/** Every event of a batched workflow, as often as it occurs in buffers and runs. */
export async function occurrences(scene: BufferScene, workflow: string): Promise<number[]> {
  const { rows } = await scene.test.db.query<{ n: number }>(
    `select (i.input ->> 'n')::int as n from flow_buffer b join flow_buffer_item i on i.buffer_id = b.id
     where b.project_id = $1 and b.workflow = $2
     union all
     select (e.value -> 'data' ->> 'n')::int from run r cross join json_array_elements(r.events) e
     where r.project_id = $1 and r.workflow = $2
     order by 1`,
    [scene.projectId, workflow],
  );
  return rows.map((row) => row.n);
}

/** Batched runs with events of several scopes, or whose event is not the first one. */
export async function mixed(scene: BufferScene) {
  const { rows } = await scene.test.db.query(
    `select r.id, r.input, r.events from run r
     where r.project_id = $1 and r.events is not null and (
       (select count(distinct coalesce(e.value -> 'data' ->> 'k', '')) from json_array_elements(r.events) e) > 1
       or (r.events -> 0 -> 'data' ->> 'n') is distinct from r.input ->> 'n'
       or (r.events -> 0 ->> 'id') is distinct from r.event_id::text)`,
    [scene.projectId],
  );
  return rows;
}
