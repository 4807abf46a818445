import { statement } from '../../db/index.ts';
import type { Definition } from '../../model/index.ts';

export interface PutWorkflows {
  projectId: string;
  definitions: readonly Definition[];
  /** For those that are new. */
  ids: readonly string[];
  now: Date;
}

export interface PutWorkflowRow {
  id: string;
  app: string;
  name: string;
}

/**
 * Registers definitions, or replaces those in force, and keeps each version for good. The first registration's time and
 * the id stay. Inserts in one order of keys.
 */
export const putWorkflows = statement<PutWorkflows, PutWorkflowRow>({
  name: 'putWorkflows',
  writes: true,
  text: `
    with given as (
      select *
      from unnest(
        $2::uuid[], $3::text[], $4::text[], $5::text[], $6::int[], $7::text[], $8::bigint[], $9::bigint[], $10::boolean[],
        $11::json[], $12::json[], $13::json[], $14::json[])
      as given (id, app, name, version, max_attempts, backoff, initial_delay_ms, max_delay_ms, on_failure,
        triggers, flow_control, steps, definition)
    ),
    kept as (
      insert into workflow_version (project_id, app, name, version, definition, created_at)
      select $1, app, name, version, definition, $15
      from given
      order by app, name
      on conflict do nothing
    )
    insert into workflow (id, project_id, app, name, version, max_attempts, backoff, initial_delay_ms, max_delay_ms,
      on_failure, triggers, flow_control, steps, registered_at, updated_at)
    select id, $1, app, name, version, max_attempts, backoff, initial_delay_ms, max_delay_ms,
      on_failure, triggers, flow_control, steps, $15, $15
    from given
    order by app, name
    on conflict (project_id, app, name) do update set
      version = excluded.version,
      max_attempts = excluded.max_attempts,
      backoff = excluded.backoff,
      initial_delay_ms = excluded.initial_delay_ms,
      max_delay_ms = excluded.max_delay_ms,
      on_failure = excluded.on_failure,
      triggers = excluded.triggers,
      flow_control = excluded.flow_control,
      steps = excluded.steps,
      updated_at = excluded.updated_at
    returning id, app, name`,
  values: ({ projectId, definitions, ids, now }) => [
    projectId,
    ids,
    definitions.map((each) => each.app),
    definitions.map((each) => each.name),
    definitions.map((each) => each.version),
    definitions.map((each) => each.retry.maxAttempts),
    definitions.map((each) => each.retry.backoff),
    definitions.map((each) => each.retry.initialDelayMs),
    definitions.map((each) => each.retry.maxDelayMs),
    definitions.map((each) => each.onFailure),
    definitions.map((each) => textOf(each.triggers)),
    definitions.map((each) => textOf(each.flowControl)),
    definitions.map((each) => textOf(each.steps)),
    definitions.map((each) => JSON.stringify(each)),
    now,
  ],
});

const textOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
