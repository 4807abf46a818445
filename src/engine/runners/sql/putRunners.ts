import { bigint, float8, int, json, rowset, statement, text, timestamptz, uuid } from '../../db/index.ts';
import type { RunnerMetadata } from '../../registry/index.ts';

export interface RunnerEntry {
  id: string;
  app: string;
  runnerId: string;
  transport: 'connect' | 'http';
  url: string;
  metadata: RunnerMetadata;
  /** Sorted. */
  workflows: readonly string[];
  maxInFlight: number;
  dispatcherId: string | undefined;
  connectionId: string;
  /** Undefined: a URL, which takes the next number. */
  connectionNo: number | undefined;
}

interface Row {
  /** Whether routing must look again: the runner is new, has changed, returned, or moved. */
  changesRouting: boolean;
  app: string;
  /** Workflows that its former list named and the new one lacks. */
  dropped: string[];
}

/**
 * Enters runners; each replaces an earlier one of its id. An HTTP runner that registers again
 * unchanged keeps its connection id and number, and so stays known to its prober.
 *
 * The caller holds the registration lock of the project, and has omitted connections that a newer
 * one has displaced.
 */
export const putRunners = statement<Row>('putRunners').writes({
  params: {
    projectId: uuid,
    at: timestamptz,
    livenessMs: float8,
    runners: rowset({
      id: uuid,
      app: text,
      runnerId: text,
      transport: text,
      url: text,
      framework: text.orNull.of(({ metadata }: RunnerEntry) => metadata.framework),
      runtime: text.orNull.of(({ metadata }: RunnerEntry) => metadata.runtime),
      language: text.orNull.of(({ metadata }: RunnerEntry) => metadata.language),
      sdkName: text.orNull.of(({ metadata }: RunnerEntry) => metadata.sdkName),
      version: text.orNull.of(({ metadata }: RunnerEntry) => metadata.version),
      region: text.orNull.of(({ metadata }: RunnerEntry) => metadata.region),
      workflowList: json.of(({ workflows }: RunnerEntry) => JSON.stringify(workflows)),
      maxInFlight: int,
      dispatcherId: uuid.orNull,
      connectionId: uuid,
      connectionNo: bigint.orNull,
    }),
  },
  text: `
    with given as (
      select * from $runners as given
    ),
    entry as (
      select given.*,
        array(select json_array_elements_text(workflow_list)) as workflows,
        coalesce(former.transport = 'http' and given.transport = 'http' and former.url = given.url, false) as is_same_place,
        former.id is null as is_new,
        former.connection_id as former_connection_id,
        former.connection_no as former_connection_no,
        former.connected as was_connected,
        former.last_seen_at as former_seen_at,
        former.workflows as former_workflows,
        former.max_in_flight as former_max_in_flight
      from given
      left join runner former
        on former.project_id = $projectId and former.app = given.app and former.runner_id = given.runner_id
    ),
    put as (
      insert into runner as current (id, project_id, app, runner_id, transport, url, framework, runtime, language, sdk_name,
        version, region, workflows, max_in_flight, dispatcher_id, connection_id, connection_no, connected, last_seen_at,
        registered_at)
      select id, $projectId, app, runner_id, transport, url, framework, runtime, language, sdk_name, version, region, workflows,
        max_in_flight, dispatcher_id, case when is_same_place then former_connection_id else connection_id end,
        coalesce(connection_no, case when is_same_place then former_connection_no end, nextval('runner_connection_no_seq')),
        true, $at, $at
      from entry
      order by app, runner_id
      on conflict (project_id, app, runner_id) do update set
        transport = excluded.transport,
        url = excluded.url,
        framework = excluded.framework,
        runtime = excluded.runtime,
        language = excluded.language,
        sdk_name = excluded.sdk_name,
        version = excluded.version,
        region = excluded.region,
        workflows = excluded.workflows,
        max_in_flight = excluded.max_in_flight,
        dispatcher_id = excluded.dispatcher_id,
        connection_id = excluded.connection_id,
        connection_no = excluded.connection_no,
        connected = true,
        last_seen_at = excluded.last_seen_at,
        missing_since = case when current.connection_id = excluded.connection_id then current.missing_since end
    )
    select is_new
        or not was_connected
        or not is_same_place
        or workflows <> former_workflows
        or max_in_flight <> former_max_in_flight
        or former_seen_at <= $at - $livenessMs * interval '1 ms' as changes_routing,
      app,
      case when workflows <> former_workflows
        then array(select unnest(former_workflows) except select unnest(workflows))
        else '{}'
      end as dropped
    from entry`,
});
