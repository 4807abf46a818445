import { statement } from '../../db/index.ts';
import type { RunnerMetadata } from '../../registry/index.ts';
import { isHeldByAnother } from './isHeldByAnother.ts';

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

/** `isReturn`: its connection is of before, and takes no place that another has taken since. */
type Given = RunnerEntry & { isReturn: boolean };

export interface PutRunnerRow {
  app: string;
  runnerId: string;
  /** False where another connection kept the place. */
  isEntered: boolean;
  /** Whether routing must look again: the runner is new, changed, came back, or moved to another connection. */
  isNews: boolean;
  /** The connection that this one took the place of, if it was open. */
  replacedDispatcherId: string | null;
  replacedConnectionId: string | null;
}

/**
 * Enters runners, each in the place of an earlier one of its id. An HTTP runner that registers again unchanged keeps its
 * connection id, and so stays known to whoever probes it.
 *
 * Only a hello, or a registration, takes a place that is held. Those come one after the other, so who holds it is as the statement
 * finds it; where that one leaves at this instant, the runner that came back is entered by the next look.
 */
export const putRunners = statement<
  { projectId: string; runners: readonly Given[]; now: Date; livenessMs: number },
  PutRunnerRow
>({
  name: 'putRunners',
  writes: true,
  text: `
    with given as (
      select *
      from unnest(
        $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
        $11::text[], $12::text[], $13::json[], $14::int[], $15::uuid[], $16::uuid[], $19::boolean[])
      as given (id, app, runner_id, transport, url, framework, runtime, language, sdk_name, version, region,
        workflow_list, max_in_flight, dispatcher_id, connection_id, is_return)
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
        on former.project_id = $1 and former.app = given.app and former.runner_id = given.runner_id
    ),
    put as (
      insert into runner as current (id, project_id, app, runner_id, transport, url, framework, runtime, language, sdk_name,
        version, region, workflows, max_in_flight, dispatcher_id, connection_id, connected, last_seen_at, registered_at)
      select id, $1, app, runner_id, transport, url, framework, runtime, language, sdk_name, version, region, workflows,
        max_in_flight, dispatcher_id, case when is_same_place then former_connection_id else connection_id end,
        true, $17, $17
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
      runner_id as "runnerId",
      not is_refused as "isEntered",
      not is_refused and (is_new
        or not was_connected
        or not is_same_place
        or workflows <> former_workflows
        or max_in_flight <> former_max_in_flight
        or former_seen_at <= $17 - $18::float8 * interval '1 ms') as "isNews",
      case when was_connected and not is_same_place and not is_refused then former_dispatcher_id end as "replacedDispatcherId",
      case when was_connected and not is_same_place and not is_refused and former_dispatcher_id is not null
        then former_connection_id end as "replacedConnectionId"
    from entry`,
  values: ({ projectId, runners, now, livenessMs }) => [
    projectId,
    runners.map((each) => each.id),
    runners.map((each) => each.app),
    runners.map((each) => each.runnerId),
    runners.map((each) => each.transport),
    runners.map((each) => each.url),
    runners.map((each) => each.metadata.framework ?? null),
    runners.map((each) => each.metadata.runtime ?? null),
    runners.map((each) => each.metadata.language ?? null),
    runners.map((each) => each.metadata.sdkName ?? null),
    runners.map((each) => each.metadata.version ?? null),
    runners.map((each) => each.metadata.region ?? null),
    runners.map((each) => JSON.stringify(each.workflows)),
    runners.map((each) => each.maxInFlight),
    runners.map((each) => each.dispatcherId ?? null),
    runners.map((each) => each.connectionId),
    now,
    livenessMs,
    runners.map((each) => each.isReturn),
  ],
});
