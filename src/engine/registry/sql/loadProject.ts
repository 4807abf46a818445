import { bigint, statement, uuid } from '../../db/index.ts';
import { hasEndpointsSql } from '../../lifecycle/index.ts';

export interface ProjectRow {
  version: number;
  suspended: boolean;
  concurrencyCeiling: number;
  hasEndpoints: boolean;
  /** The database's time. */
  nowMs: number;
  /** JSON text: an array of `WorkflowRow`; null if the caller knows this version. */
  workflows: string | null;
  /** JSON text: an array of `RunnerRow`. */
  runners: string;
}

export interface WorkflowRow {
  app: string;
  name: string;
  version: string;
  maxAttempts: number;
  backoff: string;
  initialDelayMs: number;
  maxDelayMs: number;
  onFailure: boolean;
  triggers: unknown;
  flowControl: unknown;
  steps: unknown;
  maxDurationMs: number | null;
  cancelOn: unknown;
  isRetired: boolean;
}

export interface RunnerRow {
  app: string;
  runnerId: string;
  transport: 'connect' | 'http';
  workflows: string[];
  connected: boolean;
  lastSeenAtMs: number;
}

/**
 * Reads the routing and matching data of a project in one statement, hence as of one instant.
 * Definitions are sent only if the version changed. Heartbeats of runners do not change the
 * version.
 */
export const loadProject = statement<ProjectRow>('loadProject').reads({
  params: { projectId: uuid, knownVersion: bigint.orNull },
  text: `
    select
      project.registry_version as version,
      project.suspended_at is not null as suspended,
      project.concurrency_ceiling,
      ${hasEndpointsSql('project.id')} as has_endpoints,
      (extract(epoch from now()) * 1000)::float8 as now_ms,
      case when project.registry_version is distinct from $knownVersion then (
        select coalesce(json_agg(json_build_object(
          'app', app, 'name', name, 'version', version, 'maxAttempts', max_attempts, 'backoff', backoff,
          'initialDelayMs', initial_delay_ms, 'maxDelayMs', max_delay_ms, 'onFailure', on_failure,
          'triggers', triggers, 'flowControl', flow_control, 'steps', steps, 'maxDurationMs', max_duration_ms,
          'cancelOn', cancel_on, 'isRetired', retired_at is not null)), '[]')
        from workflow
        where workflow.project_id = project.id
      ) end as workflows,
      (
        select coalesce(json_agg(json_build_object(
          'app', app, 'runnerId', runner_id, 'transport', transport, 'workflows', workflows, 'connected', connected,
          'lastSeenAtMs', extract(epoch from last_seen_at) * 1000)), '[]')
        from runner
        where runner.project_id = project.id
      ) as runners
    from project
    where project.id = $projectId`,
});
