import { type RunFixture, replayRecorded } from '../../../sdk/src/testing/index.ts';
import type { ServiceWorld } from './serviceWorld.ts';

/** Each run of a world, as `recordRun` would fetch it. */
const recordedRuns = `
  select jsonb_build_object('run', json_strip_nulls(json_build_object('id', r.id, 'app', app, 'workflow', workflow, 'status', r.status,
      'attempt', r.attempt, 'triggerKind', trigger_kind, 'eventName', r.event_name, 'eventId', event_id, 'session', session,
      'tags', tags, 'onFailureOf', on_failure_of, 'createdAt', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))::jsonb
      || jsonb_build_object('input', r.input, 'result', r.result), 'steps', coalesce(
    (select json_agg(json_strip_nulls(json_build_object('name', s.name, 'index', s.index, 'attempt', s.attempt,
        'status', s.status, 'input', s.input, 'error', s.error, 'willRetry', s.will_retry, 'eventName', s.event_name,
        'childRunId', s.child_run_id))::jsonb || jsonb_build_object('output', s.output))
      from run_step s where s.run_id = r.id), '[]'), 'order', coalesce((select json_agg(s.name order by s.ended_at, s.index) from run_step s
      where s.run_id = r.id and not s.will_retry and not s.retry_withdrawn and s.status in ('succeeded', 'failed', 'skipped')
    ), '[]'))::text as fixture
  from run r where project_id = $1 order by id`;

/** A divergence that a replay of an unchanged workflow reports; undefined if there is none. */
export async function falseAlarm(world: ServiceWorld): Promise<string | undefined> {
  for (const { fixture } of await world.read<{ fixture: string }>(recordedRuns)) {
    const recorded: RunFixture = { version: 1, ...JSON.parse(fixture) };
    try {
      await replayRecorded(world.workflow(recorded.run.workflow), recorded);
    } catch (error) {
      return `${error instanceof Error ? error.message : String(error)}\n${fixture}`;
    }
  }
  return undefined;
}
