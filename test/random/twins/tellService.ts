import { logLevels } from '@holdfast/sdk/protocol';
import { type RunTold, told, type WorldTold, withoutIds } from './journal.ts';
import type { ServiceWorld } from './serviceWorld.ts';

type Json = string | null;

interface RunRow {
  id: string;
  workflow: string;
  status: string;
  attempt: number;
  trigger_kind: string;
  event_name: string | null;
  parent_run_id: string | null;
  parent_step: string | null;
  on_failure_of: string | null;
  session: string | null;
  tags: Json;
  input: string;
  result: Json;
  error: Json;
  created_at: Date;
  ended_at: Date | null;
}

interface StepRow {
  run_id: string;
  name: string;
  index: number;
  attempt: number;
  status: string;
  input: Json;
  output: Json;
  error: Json;
  ai: Json;
  run_after: Date | null;
  will_retry: boolean;
  event_name: string | null;
  child_run_id: string | null;
  ended_at: Date | null;
}

interface ApprovalRow {
  run_id: string;
  step: string;
  tool: string;
  args: string;
  risk: string;
  escalates_to: string;
  on_timeout: string;
  status: string;
  requested_at: Date;
  expires_at: Date | null;
  decided_at: Date | null;
  decided_by: string | null;
  decided_via: string | null;
  edited_args: Json;
}

interface LogRow {
  run_id: string;
  payload: string;
}

const parsed = (text: Json): unknown => (text === null ? undefined : JSON.parse(text));
const iso = (at: Date | null): string | undefined => at?.toISOString();

/** What the database holds of a world. */
export async function tellService(world: ServiceWorld): Promise<WorldTold> {
  const runs = await world.read<RunRow>(`
    select id, workflow, status, attempt, trigger_kind, event_name, parent_run_id, parent_step, on_failure_of, session,
      tags::text, input::text, result::text, error::text, created_at, ended_at
    from run where project_id = $1 order by id`);
  const steps = await world.read<StepRow>(`
    select run_id, name, index, s.attempt, s.status, s.input::text, output::text, s.error::text, ai::text, run_after, will_retry,
      s.event_name, child_run_id, s.ended_at
    from run_step s join run r on r.id = run_id where project_id = $1 order by run_id, index, s.attempt`);
  const approvals = await world.read<ApprovalRow>(`
    select run_id, step, tool, args::text, risk, escalates_to, on_timeout, status, requested_at, expires_at, decided_at,
      decided_by, decided_via, edited_args::text
    from approval where project_id = $1 order by run_id, step_index`);
  const logs = await world.read<LogRow>(`
    select run_id, payload::text from run_frame f join run r on r.id = run_id
    where project_id = $1 and kind = 'log' order by run_id, seq`);
  const events = await world.read<{ source_run_id: string; name: string; data: Json }>(`
    select source_run_id, name, data::text from event where project_id = $1 and source_run_id is not null order by id`);
  const [counts] = await world.read<{ webhooks: number; scores: number }>(`
    select (select count(*)::int from webhook_delivery where project_id = $1) as webhooks,
      (select count(*)::int from score where project_id = $1) as scores`);
  const ids = runs.map(({ id }) => id);
  const of = <Row extends { run_id: string }>(rows: readonly Row[], id: string): Row[] =>
    rows.filter((row) => row.run_id === id);
  const inMs = (at: Date | null): number | undefined => (at === null ? undefined : at.getTime() - world.startMs);
  const tellRun = (run: RunRow): RunTold => ({
    ...{ workflow: run.workflow, status: run.status, attempt: run.attempt, triggerKind: run.trigger_kind },
    ...{ eventName: run.event_name ?? run.workflow, input: parsed(run.input), tags: parsed(run.tags) },
    session: run.session ?? undefined,
    parent: run.parent_run_id === null ? undefined : ids.indexOf(run.parent_run_id),
    parentStep: run.parent_step ?? undefined,
    onFailureOf: run.on_failure_of === null ? undefined : ids.indexOf(run.on_failure_of),
    result: run.status === 'succeeded' ? (parsed(run.result) ?? null) : undefined,
    error: told(parsed(run.error)),
    ...{ createdInMs: inMs(run.created_at) ?? 0, endedInMs: inMs(run.ended_at) },
    steps: of(steps, run.id).map((row) => ({
      ...{ name: row.name, index: row.index, attempt: row.attempt, status: row.status },
      ...{ input: parsed(row.input), output: parsed(row.output), ai: parsed(row.ai) },
      error: row.status === 'failed' ? told(parsed(row.error)) : undefined,
      runAfter: row.status === 'failed' && !row.will_retry ? undefined : inMs(row.run_after),
      willRetry: row.will_retry || undefined,
      nextAttemptAt: row.will_retry ? inMs(row.run_after) : undefined,
      ...{ eventName: row.event_name ?? undefined, childRunId: row.child_run_id ?? undefined },
      endedAt: inMs(row.ended_at),
    })),
    logs: of(logs, run.id).map(({ payload }) => lineOf(JSON.parse(payload))),
    approvals: of(approvals, run.id).map((row) => ({
      ...{ step: row.step, tool: row.tool, risk: row.risk, escalatesTo: row.escalates_to, onTimeout: row.on_timeout },
      ...{ status: row.status, workflow: run.workflow, app: 'default', args: parsed(row.args) },
      ...{ requestedAt: iso(row.requested_at), expiresAt: iso(row.expires_at), decidedAt: iso(row.decided_at) },
      ...{ decidedBy: row.decided_by ?? undefined, decidedVia: row.decided_via ?? undefined },
      editedArgs: parsed(row.edited_args),
    })),
  });
  return {
    runs: runs.map((run) => withoutIds(tellRun(run), ids)),
    events: events.map(({ source_run_id: by, name, data }) => ({ by: ids.indexOf(by), name, data: parsed(data) })),
    webhooks: counts?.webhooks ?? 0,
    scores: counts?.scores ?? 0,
  };
}

function lineOf({ level, message, fields, scope, attempt }: Record<string, unknown>) {
  const known = logLevels.find((each) => each === level);
  return { level: known, message, fields, scope, attempt };
}
