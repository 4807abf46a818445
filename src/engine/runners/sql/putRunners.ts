import { bool, float8, int, json, rowset, statement, text, timestamptz, uuid } from '../../db/index.ts';
import type { RunnerMetadata } from '../../registry/index.ts';
import { isNotFoundDead } from '../../work/index.ts';

/**
 * SQL: whether a row of `runner` belongs to another connection than that: to the open socket of a
 * dispatcher that is there, or to a URL. A row of a dispatcher that is gone holds no place: its
 * heartbeat has ended, so it would never be found silent.
 */
export const isHeldByAnother = (row: string, connectionId: string): string =>
  `(${row}.connected and ${row}.connection_id <> ${connectionId}
    and (${row}.dispatcher_id is null or exists (select from dispatcher d where d.id = ${row}.dispatcher_id and ${isNotFoundDead})))`;

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
}

export interface PutRunnerRow {
  app: string;
  runnerId: string;
  /** False where another connection kept the place. */
  isEntered: boolean;
  /** Whether routing must look again: the runner is new, changed, came back, or has moved. */
  isNews: boolean;
  /** The connection that this one took the place of, if it was open. */
  replacedDispatcherId: string | null;
  replacedConnectionId: string | null;
}

/**
 * Enters runners, each in the place of an earlier one of its id. An HTTP runner that registers
 * again unchanged keeps its connection id, and so stays known to its prober.
 *
 * Only a hello, or a registration, takes a place that is held. They come one after the other, so
 * the holder is as the statement finds it. If that one leaves at this instant, the next look enters
 * the runner that came back.
 */
export const putRunners = statement<PutRunnerRow>('putRunners').writes({
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
      /** The connection is of before, and takes no place that another has taken since. */
      isReturn: bool,
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
        coalesce(given.is_return and ${isHeldByAnother('former', 'given.connection_id')}, false) as is_refused,
        former.id is null as is_new,
        former.connection_id as former_connection_id,
        former.dispatcher_id as former_dispatcher_id,
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
        version, region, workflows, max_in_flight, dispatcher_id, connection_id, connected, last_seen_at, registered_at)
      select id, $projectId, app, runner_id, transport, url, framework, runtime, language, sdk_name, version, region, workflows,
        max_in_flight, dispatcher_id, case when is_same_place then former_connection_id else connection_id end,
        true, $at, $at
      from entry
      where not is_refused
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
        connected = true,
        last_seen_at = excluded.last_seen_at
    )
    select
      app,
      runner_id,
      not is_refused as is_entered,
      not is_refused and (is_new
        or not was_connected
        or not is_same_place
        or workflows <> former_workflows
        or max_in_flight <> former_max_in_flight
        or former_seen_at <= $at - $livenessMs * interval '1 ms') as is_news,
      case when was_connected and not is_same_place and not is_refused then former_dispatcher_id end as replaced_dispatcher_id,
      case when was_connected and not is_same_place and not is_refused and former_dispatcher_id is not null
        then former_connection_id end as replaced_connection_id
    from entry`,
});
