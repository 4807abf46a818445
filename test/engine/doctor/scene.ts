import type { Clock } from '../../../src/engine/clock.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { runDoctor } from '../../../src/engine/doctor/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import type { RunStatus } from '../../../src/engine/runs/status.ts';

interface Step {
  op?: string;
  name?: string;
  status?: string;
  index?: number;
  attempt?: number;
  input?: string;
  output?: string;
  runAfter?: Date;
  willRetry?: boolean;
  startedAt?: Date;
  endedAt?: Date;
}

interface Delivery {
  runId?: string;
  endpointId?: string;
  kind?: string;
  step?: { index: number; attempt: number };
}

const inMs = (ms: number): Date => new Date(Date.now() + ms);
const settled = ['succeeded', 'failed', 'skipped', 'cancelled'];

/** Runs, events and dispatchers written by hand. They are healthy until a test breaks them. */
export class DoctorScene {
  readonly engine: EngineContext;
  readonly projectId: string;

  constructor(engine: EngineContext, projectId: string) {
    this.engine = engine;
    this.projectId = projectId;
  }

  sql(text: string, ...values: unknown[]): Promise<unknown> {
    return this.engine.db.query(text, values);
  }

  /** The messages of each check that finds violations, by the clock of the engine or another. */
  async findings(clock: Clock = this.engine.clock): Promise<Record<string, string[]>> {
    const { checks, gaveUp } = await runDoctor({ ...this.engine, clock }, { secondLookMs: 50 });
    if (gaveUp > 0) throw new Error('a check came to no end');
    const found = checks.filter(({ violations }) => violations.length > 0);
    return Object.fromEntries(found.map(({ check, violations }) => [check, violations.map(({ message }) => message)]));
  }

  /** A run with the journal of these statuses. */
  async run(statuses: RunStatus[], { eventId = null }: { eventId?: string | null } = {}): Promise<string> {
    const id = newId();
    const status = statuses.at(-1) ?? 'queued';
    const isOver = settled.includes(status);
    await this.sql(
      `insert into run (id, project_id, app, workflow, version, status, trigger_kind, event_id, input, ended_at)
       values ($1, $2, 'shop', 'order', 'v1', $3, 'event', $4, '{}', $5)`,
      id,
      this.projectId,
      status,
      eventId,
      isOver ? new Date() : null,
    );
    for (const [position, each] of statuses.entries()) await this.frame(id, position + 1, { status: each });
    return id;
  }

  frame(runId: string, seq: number, payload: object, kind = 'run_status'): Promise<unknown> {
    return this.sql(
      'insert into run_frame (run_id, seq, kind, payload) values ($1, $2, $3, $4)',
      runId,
      seq,
      kind,
      JSON.stringify(payload),
    );
  }

  async step(runId: string, step: Step = {}): Promise<void> {
    const { op = 'StepRun', name = 'charge', status = 'succeeded', index = 0, attempt = 1 } = step;
    const endedAt = step.endedAt ?? (settled.includes(status) ? new Date() : null);
    await this.sql(
      `insert into run_step (run_id, index, attempt, step_id, name, op, status, input, output, run_after, will_retry,
         started_at, ended_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      runId,
      index,
      attempt,
      `hash of ${name}`,
      name,
      op,
      status,
      step.input ?? null,
      step.output ?? null,
      step.runAfter ?? null,
      step.willRetry ?? false,
      step.startedAt ?? new Date(),
      endedAt,
    );
  }

  /** A model call of the step at `index`, reported as JSON text, and counted by default. */
  async aiStep(runId: string, { index = 0, tokens = 10, at = new Date(), isCounted = true } = {}): Promise<void> {
    await this.step(runId, { name: `ask ${index}`, index, endedAt: at });
    await this.sql('update run_step set usage = $3 where run_id = $1 and index = $2', runId, index, '{"tokensIn":10}');
    if (isCounted) await this.usage(runId, { index, tokens, at });
  }

  usage(runId: string, { index = 0, tokens = 10, at = new Date() } = {}): Promise<unknown> {
    return this.sql(
      `insert into ai_usage (run_id, step_index, attempt, project_id, app, workflow, tokens_in, created_at)
       values ($1, $2, 1, $3, 'shop', 'order', $4, $5)`,
      runId,
      index,
      this.projectId,
      tokens,
      at,
    );
  }

  async work(runId: string, state: string, more: { leaseId?: string; dueAt?: Date | null; laneId?: number } = {}) {
    const { leaseId = null, dueAt = null, laneId = 1 } = more;
    await this.sql(
      `insert into run_work (run_id, project_id, lane_id, state, position, due_at, lease_id, stranded_at, seq)
       values ($1, $2, $3, $4, (extract(epoch from now()) * 1e6)::bigint, $5, $6, $7,
         (select count(*) from run_frame where run_id = $1))`,
      runId,
      this.projectId,
      laneId,
      state,
      dueAt,
      leaseId,
      state === 'stranded' ? new Date() : null,
    );
  }

  async dispatcher({ startedMsAgo = 0, silentMs = 0 } = {}): Promise<string> {
    const id = newId();
    await this.sql('insert into dispatcher values ($1, $2, $3)', id, inMs(-startedMsAgo), inMs(-silentMs));
    return id;
  }

  async ended(status: 'succeeded' | 'failed' | 'cancelled' = 'succeeded'): Promise<string> {
    const id = await this.run(['queued', 'running', status]);
    await this.step(id);
    return id;
  }

  async ready(): Promise<string> {
    const id = await this.run(['queued']);
    await this.work(id, 'ready');
    return id;
  }

  async leased(leaseId?: string): Promise<string> {
    const id = await this.run(['queued', 'running']);
    await this.work(id, 'leased', { leaseId: leaseId ?? (await this.dispatcher()) });
    return id;
  }

  async sleeping(): Promise<string> {
    const id = await this.run(['queued', 'running', 'waiting']);
    const runAfter = inMs(3_600_000);
    await this.step(id, { op: 'Sleep', name: 'nap', status: 'waiting', input: '{"sleepMs":3600000}', runAfter });
    await this.work(id, 'parked', { dueAt: runAfter });
    return id;
  }

  async listening(): Promise<string> {
    const id = await this.run(['queued', 'running', 'waiting']);
    await this.step(id, { op: 'WaitForEvent', name: 'paid', status: 'waiting' });
    await this.sql(
      `insert into run_wait (run_id, step_index, project_id, event_name) values ($1, 0, $2, 'order.paid')`,
      id,
      this.projectId,
    );
    await this.work(id, 'parked');
    return id;
  }

  /** A run that waits for a model. */
  async inferring(): Promise<string> {
    const id = await this.run(['queued', 'running', 'waiting']);
    await this.step(id, { op: 'Infer', name: 'ask', status: 'waiting' });
    await this.call(id);
    await this.work(id, 'parked');
    return id;
  }

  /** The model call of the first step of a run. */
  call(runId: string): Promise<unknown> {
    return this.sql(
      `insert into inference_call (run_id, step_index, attempt, project_id, key_id, lane_id, provider, model, request, request_bytes,
         due_at, deadline_at, idempotency_key)
       values ($1, 0, 1, $2, $1, $1, 'anthropic', 'opus', '\\x00', 1, now(), now() + interval '2 h', $1)`,
      ...[runId, this.projectId],
    );
  }

  /** A send of the first step of a run, under way. */
  send(runId: string, processId = newId()): Promise<unknown> {
    return this.sql(
      `insert into inference_send (run_id, step_index, attempt, number, project_id, key_id, provider, model, idempotency_key,
         process_id, reserved_tokens, started_at)
       values ($1, 0, 1, 1, $2, $1, 'anthropic', 'opus', $1, $3, 1, now())`,
      ...[runId, this.projectId, processId],
    );
  }

  /** A run that waits for a decision. */
  async asking(): Promise<string> {
    const id = await this.run(['queued', 'running', 'needs_attention']);
    await this.step(id, { op: 'Approval', name: 'sign', status: 'waiting' });
    await this.approval(id, 'pending');
    await this.work(id, 'parked');
    return id;
  }

  /** A run that continued after a decision. */
  async decided(): Promise<string> {
    const id = await this.run(['queued', 'running', 'needs_attention', 'queued', 'running', 'succeeded']);
    await this.step(id, { op: 'Approval', name: 'sign', output: '{"status":"approved","args":"\\u0000"}' });
    await this.approval(id, 'approved');
    return id;
  }

  approval(runId: string, status: string): Promise<unknown> {
    const decidedAt = status === 'approved' || status === 'denied' ? new Date() : null;
    return this.sql(
      `insert into approval (id, project_id, run_id, step_index, step, tool, args, risk, escalates_to, on_timeout, status,
         decided_at, decided_by, decided_via)
       values ($1, $2, $3, 0, 'sign', 'refund', '{}', 'high', '', 'reject', $4, $5, $6, $7)`,
      newId(),
      this.projectId,
      runId,
      status,
      decidedAt,
      decidedAt && 'ada',
      decidedAt && 'api',
    );
  }

  /** A run that its budget paused. */
  async heldByBudget(): Promise<string> {
    const id = await this.run(['queued', 'paused']);
    await this.work(id, 'ready');
    await this.sql("update run_work set state = 'paused', resume_state = 'ready' where run_id = $1", id);
    await this.sql("update run set paused_reason = 'budget' where id = $1", id);
    return id;
  }

  async stranded(): Promise<string> {
    const id = await this.run(['queued', 'waiting']);
    await this.work(id, 'stranded', { dueAt: inMs(300_000) });
    return id;
  }

  async event(more: { triggered?: object[]; woke?: number; wokeRuns?: string[]; dedupeId?: string } = {}) {
    const { triggered = [], woke = 0, wokeRuns = [], dedupeId = null } = more;
    const id = newId();
    await this.sql(
      `insert into event (id, project_id, app, name, source, triggered, woke, woke_runs, dedupe_id)
       values ($1, $2, 'shop', 'order.paid', 'api', $3, $4, $5, $6)`,
      id,
      this.projectId,
      JSON.stringify(triggered),
      woke,
      wokeRuns,
      dedupeId,
    );
    await this.sql('insert into event_pending (event_id, project_id) values ($1, $2)', id, this.projectId);
    await this.sql('delete from event_pending where event_id = $1', id);
    return id;
  }

  /** An event, and a run that it woke. */
  async woken(): Promise<{ eventId: string; runId: string }> {
    const runId = await this.run(['queued', 'running', 'waiting', 'queued', 'running', 'succeeded']);
    const eventId = await this.event({ woke: 1, wokeRuns: [runId] });
    await this.step(runId, { op: 'WaitForEvent', name: 'paid', output: `{"id":"${eventId}","name":"order.paid"}` });
    return { eventId, runId };
  }

  /** A buffer with two events. */
  async buffer(): Promise<string> {
    const id = newId();
    await this.sql(
      `insert into flow_buffer (id, project_id, policy, app, workflow, key, items, bytes, flush_at)
       values ($1, $2, 'batch', 'shop', 'order', '', 2, 9, $3)`,
      id,
      this.projectId,
      inMs(60_000),
    );
    await this.sql(
      `insert into flow_buffer_item (buffer_id, position, start, input)
       select $1, n, '{}', input::json from unnest(array[0, 1], array['{}', '{"a":1}']) as i(n, input)`,
      id,
    );
    return id;
  }

  /** An endpoint for every end of a run. */
  async endpoint(updatedAt: Date): Promise<string> {
    const id = newId();
    await this.sql(
      `insert into webhook_endpoint (id, project_id, url, event_kinds, scheme, updated_at)
       values ($1::uuid, $2, 'http://example.test/' || $1, '{run.succeeded,run.failed,run.cancelled}', 'service', $3)`,
      ...[id, this.projectId, updatedAt],
    );
    return id;
  }

  /** A pending delivery with its work; without a run, a test. */
  async delivery({ runId, endpointId = newId(), kind = 'run.succeeded', step }: Delivery = {}): Promise<string> {
    const id = newId();
    await this.sql(
      `with delivery as (
         insert into webhook_delivery (id, project_id, app, endpoint_id, url, event_kind, run_id, is_test, status, step_index,
           step_attempt)
         values ($1, $2, 'shop', $3, 'http://example.test', $4, $5, $5::uuid is null, 'pending', $6, $7)
       )
       insert into webhook_work (delivery_id, project_id, lane, due_at) values ($1, $2, $3, now())`,
      ...[id, this.projectId, endpointId, kind, runId ?? null, step?.index ?? null, step?.attempt ?? null],
    );
    return id;
  }

  attempt(deliveryId: string, attempt: number): Promise<unknown> {
    return this.sql(
      `insert into webhook_attempt (id, delivery_id, attempt, outcome, duration_ms, request_headers)
       values ($1, $2, $3, 'timeout', 5, '{}')`,
      ...[newId(), deliveryId, attempt],
    );
  }

  /** An ingested message of a source, with its event. */
  async message(): Promise<string> {
    const id = newId();
    const eventId = await this.event();
    await this.sql(`update event set source = 'webhook' where id = $1`, eventId);
    await this.sql(
      `insert into webhook_source_delivery (id, project_id, source_id, status, event_id, request_headers)
       values ($1, $2, $3, 'ingested', $4, '{}')`,
      ...[id, this.projectId, newId(), eventId],
    );
    await this.sql(
      `insert into webhook_source_attempt (id, delivery_id, attempt, trigger, status, event_id)
       values ($1, $2, 1, 'initial', 'ingested', $3)`,
      ...[newId(), id, eventId],
    );
    return id;
  }

  /** Deletes everything but the project. */
  async clear(): Promise<void> {
    await this.sql(
      'truncate run, run_work, run_step, run_frame, run_wait, event, event_pending, event_seq, event_head, dispatcher, approval, runner, lane, ai_usage, inference_call, inference_send, inference_process, workflow, flow_buffer, flow_buffer_item, flow_budget, webhook_endpoint, webhook_delivery, webhook_work, webhook_sender, webhook_attempt, webhook_source_delivery, webhook_source_attempt cascade',
    );
  }
}
