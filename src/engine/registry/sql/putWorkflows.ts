import { bigint, bool, int, json, rowset, statement, text, timestamptz, uuid } from '../../db/index.ts';
import type { Definition } from '../../model/index.ts';

/** A definition, and the id of its workflow if that is new. */
interface Registered {
  id: string;
  definition: Definition;
}

export interface PutWorkflowRow {
  id: string;
  app: string;
  name: string;
}

/**
 * Registers definitions, or replaces those in force, and keeps each version for good. A workflow
 * keeps its id and its first registration time. Inserts are sorted, to avoid deadlocks.
 */
export const putWorkflows = statement<PutWorkflowRow>('putWorkflows').writes({
  params: {
    projectId: uuid,
    at: timestamptz,
    registered: rowset({
      id: uuid,
      app: text.of(({ definition }: Registered) => definition.app),
      name: text.of(({ definition }: Registered) => definition.name),
      version: text.of(({ definition }: Registered) => definition.version),
      maxAttempts: int.of(({ definition }: Registered) => definition.retry.maxAttempts),
      backoff: text.of(({ definition }: Registered) => definition.retry.backoff),
      initialDelayMs: bigint.of(({ definition }: Registered) => definition.retry.initialDelayMs),
      maxDelayMs: bigint.of(({ definition }: Registered) => definition.retry.maxDelayMs),
      onFailure: bool.of(({ definition }: Registered) => definition.onFailure),
      triggers: json.orNull.of(({ definition }: Registered) => textOf(definition.triggers)),
      flowControl: json.orNull.of(({ definition }: Registered) => textOf(definition.flowControl)),
      steps: json.orNull.of(({ definition }: Registered) => textOf(definition.steps)),
      maxDurationMs: bigint.orNull.of(({ definition }: Registered) => definition.maxDurationMs),
      cancelOn: json.orNull.of(({ definition }: Registered) => textOf(definition.cancelOn)),
      definition: json.of(({ definition }: Registered) => JSON.stringify(definition)),
    }),
  },
  text: `
    with given as (
      select * from $registered as given
    ),
    kept as (
      insert into workflow_version (project_id, app, name, version, definition, created_at)
      select $projectId, app, name, version, definition, $at
      from given
      order by app, name
      on conflict do nothing
    )
    insert into workflow (id, project_id, app, name, version, max_attempts, backoff, initial_delay_ms, max_delay_ms,
      on_failure, triggers, flow_control, steps, max_duration_ms, cancel_on, registered_at, updated_at)
    select id, $projectId, app, name, version, max_attempts, backoff, initial_delay_ms, max_delay_ms,
      on_failure, triggers, flow_control, steps, max_duration_ms, cancel_on, $at, $at
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
      max_duration_ms = excluded.max_duration_ms,
      cancel_on = excluded.cancel_on,
      updated_at = excluded.updated_at
    returning id, app, name`,
});

const textOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
