import { bigint, float8, instant, statement, uuid } from '../../db/index.ts';

export interface RunnerState {
  id: string;
  isLive: boolean;
  /** The fields whose changes are told, as one text. */
  state: string;
}

/** The runners of a project, each with what its followers are told of. */
export const listRunnerStates = statement<RunnerState>('listRunnerStates').reads({
  params: { projectId: uuid, livenessMs: float8, limit: bigint, now: instant },
  text: `
    select id, connected and last_seen_at > $now - $livenessMs * interval '1 ms' as is_live,
      concat_ws(' ', connection_id, transport, max_in_flight, coalesce(in_flight, -1),
        md5(concat_ws(' ', url, version, sdk_name, framework, runtime, language, region, workflows::text))) as state
    from runner where project_id = $projectId
    order by app, runner_id limit $limit`,
});
