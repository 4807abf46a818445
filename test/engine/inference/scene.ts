import type { FlowControl } from '@holdfast/sdk/protocol';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { newId } from '../../../src/engine/ids.ts';
import {
  beginSend,
  type CallOutcome,
  type Claim,
  type ClaimQuestion,
  claimCalls,
  type EndedSend,
  firstPlace,
  type LeasedCall,
  type SendEnding,
  type SendStart,
  type Settled,
  settleCall,
} from '../../../src/engine/inference/index.ts';
import { createTestProject, type TestEngine } from '../../support/engine.ts';
import { complete, memoOf, type Script, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

/** The clock of a scene, which stands unless a test moves it. */
export const sceneClock = (): ManualClock => new ManualClock(new Date('2026-05-01T10:00:00.000Z'));

/** An `Infer` opcode. */
export const infer = (name: string, data: object = {}) => ({
  op: 'Infer' as const,
  name,
  data: { provider: 'anthropic', model: 'opus', prompt: 'hello', ...data },
});

/** A script that asks models side by side, and completes once all have answered or failed. */
export const asking =
  (names: readonly string[], data: object = {}): Script =>
  (request) => {
    const memos = names.map((name) => memoOf(request, name));
    if (memos.every((memo) => memo !== undefined && !('pending' in memo))) return complete('done');
    return steps(names.filter((_, n) => memos[n] === undefined).map((name) => infer(name, data)));
  };

/** A workflow named `flow`, whose runs call models. No process executes the calls by itself. */
export class InferenceScene {
  readonly engine: EngineContext;
  readonly projectId: string;
  readonly dispatcher: ScriptedDispatcher;
  readonly processId = newId();

  constructor(engine: EngineContext, projectId: string, dispatcher: ScriptedDispatcher) {
    this.engine = engine;
    this.projectId = projectId;
    this.dispatcher = dispatcher;
  }

  static async open(
    { engine }: Pick<TestEngine, 'engine'>,
    script: Script,
    { maxAttempts = 1, ...flowControl }: FlowControl & { maxAttempts?: number } = {},
  ): Promise<InferenceScene> {
    await engine.db.query('truncate inference_call, inference_key, inference_lane, inference_send, inference_process');
    const projectId = await createTestProject(engine);
    const retry = { maxAttempts, backoff: 'fixed', initialDelayMs: 1000 } as const;
    await registerWorkflows(engine, projectId, [{ name: 'flow', retry, ...flowControl }]);
    return new InferenceScene(engine, projectId, await new ScriptedDispatcher(engine, script).start());
  }

  /** Starts a run, and executes it until it waits for its calls. */
  async start(): Promise<string> {
    const start = { projectId: this.projectId, app: 'default', name: 'flow', input: {} };
    const { runId } = await triggerWorkflow(this.engine, start);
    if (!runId) throw new Error('no run was started');
    await this.dispatcher.runOnce();
    return runId;
  }

  claim(question: Partial<ClaimQuestion> = {}): Promise<Claim> {
    const { processId } = this;
    return claimCalls(this.engine, { processId, registers: true, room: 100, after: firstPlace, ...question });
  }

  /** Claims the only due call. */
  async claimOne(question: Partial<ClaimQuestion> = {}): Promise<LeasedCall> {
    const { calls } = await this.claim(question);
    const [call] = calls;
    if (!call || calls.length > 1) throw new Error(`${calls.length} calls were claimed`);
    return call;
  }

  begin(call: LeasedCall, processId = this.processId): Promise<SendStart> {
    return beginSend(this.engine, call, { processId, price: undefined });
  }

  /** As the worker, which knows when the send began: so the shortest way is tried first. */
  async settle(call: LeasedCall, outcome: CallOutcome, send?: EndedSend): Promise<Settled> {
    const { runId, stepIndex, attempt } = call;
    const at = { runId, stepIndex, attempt, number: send?.number ?? 0 };
    const row = await this.engine.db.prisma.inferenceSend.findFirst({ where: at });
    const known = send && { ...send, startedAt: row?.startedAt };
    return settleCall(this.engine, call, { processId: this.processId, outcome, send: known });
  }

  /** Sends a call, and settles it. */
  async execute(call: LeasedCall, ending: SendEnding, outcome: CallOutcome): Promise<Settled> {
    return this.settle(call, outcome, ended(await this.sent(call), ending));
  }

  /** Begins a send that must begin. Answers its number. */
  async sent(call: LeasedCall, processId = this.processId): Promise<number> {
    const start = await this.begin(call, processId);
    if (start.kind !== 'send') throw new Error(`the send did not begin: ${start.kind}`);
    return start.number;
  }

  /** Claims, sends and answers the calls that are due, until none is. Answers their number. */
  async answerAll(ending = answered(), question: Partial<ClaimQuestion> = {}): Promise<number> {
    let count = 0;
    for (;;) {
      const { calls } = await this.claim(question);
      if (calls.length === 0) return count;
      for (const call of calls) {
        const start = await this.begin(call);
        if (start.kind !== 'send') continue;
        await this.settle(call, succeeded(), ended(start.number, ending));
        count += 1;
      }
    }
  }

  /** Ends a run as a version without model calls does. */
  async endByOlderVersion(runId: string): Promise<void> {
    const { db } = this.engine;
    await db.query('delete from run_work where run_id = $1', [runId]);
    await db.query("update run_step set status = 'cancelled', ended_at = now() where run_id = $1", [runId]);
    await db.query("update run set status = 'cancelled', ended_at = now() where id = $1", [runId]);
  }

  run(runId: string) {
    return this.engine.db.prisma.run.findUniqueOrThrow({ where: { id: runId } });
  }

  steps(runId: string) {
    return this.engine.db.prisma.runStep.findMany({
      where: { runId },
      orderBy: [{ index: 'asc' }, { attempt: 'asc' }],
    });
  }

  calls(runId: string) {
    return this.engine.db.prisma.inferenceCall.findMany({ where: { runId }, orderBy: { stepIndex: 'asc' } });
  }

  sends(runId: string) {
    return this.engine.db.prisma.inferenceSend.findMany({
      where: { runId },
      orderBy: [{ stepIndex: 'asc' }, { attempt: 'asc' }, { number: 'asc' }],
    });
  }

  usage(runId: string) {
    return this.engine.db.prisma.aiUsage.findMany({
      where: { runId },
      orderBy: [{ stepIndex: 'asc' }, { attempt: 'asc' }, { send: 'asc' }],
    });
  }

  lane(id: string) {
    return this.engine.db.prisma.inferenceLane.findUniqueOrThrow({ where: { id } });
  }

  /** Calls of runs that are never executed, due one after the other. */
  async backlog(
    count: number,
    {
      projectId = this.projectId,
      provider = 'anthropic',
      model = 'opus',
      owner = 'settings',
      msAgo = 0,
      looksUp = false,
    } = {},
  ): Promise<void> {
    const at = new Date(this.engine.clock.now().getTime() - msAgo);
    await this.engine.db.query(
      `with run_ as (
         insert into run (id, project_id, app, workflow, version, status, trigger_kind, input)
         select gen_random_uuid(), $2, 'default', 'flow', 'v1', 'waiting', 'manual', '{}' from generate_series(1, $1)
         returning id
       )
       insert into inference_call (run_id, step_index, attempt, project_id, key_id, lane_id, provider, model, request, request_bytes,
         due_at, deadline_at, idempotency_key, looks_up)
       select id, 0, 1, $2, substr(encode(sha256(convert_to($3, 'UTF8')), 'hex'), 1, 32)::uuid,
         substr(encode(sha256(convert_to($4, 'UTF8')), 'hex'), 1, 32)::uuid, $5, $6, '\\x00', 1, $7, $7::timestamptz + interval '2 h',
         gen_random_uuid(), $8
       from run_`,
      [count, projectId, `${owner}/${provider}`, `${owner}/${provider}\n${model}`, provider, model, at, looksUp],
    );
  }
}

export const usage = { tokensIn: 30, tokensOut: 12 };

/** Endings of sends, without a provider. */
export const answered = (tokens: object = usage): SendEnding => ({
  outcome: 'answered',
  answer: { kind: 'text', text: 'hi', content: [], model: 'opus-1', finishReason: 'stop' },
  usage: tokens,
  status: 200,
  requestId: 'req_1',
  warnings: [],
});
export const refused = (message = 'overloaded', status = 529): SendEnding => ({
  outcome: 'refused',
  refusal: { kind: 'overloaded' },
  status,
  message,
});
export const unknown = (tokens: object = {}): SendEnding => ({
  outcome: 'unknown',
  usage: tokens,
  message: 'the stream was cut',
});

export const ended = (number: number, ending: SendEnding): EndedSend => ({
  number,
  ending,
  cost: undefined,
  latencyMs: 40,
});

/** What follows, as the worker would decide. */
export const succeeded = (output: unknown = { text: 'hi' }): CallOutcome => ({
  kind: 'succeeded',
  output: JSON.stringify(output),
  ai: { finishReason: 'stop' },
});
export const failed = (mayRetry = false, message = 'no'): CallOutcome => ({
  kind: 'failed',
  error: { name: 'InferenceError', message },
  ai: {},
  mayRetry,
});
export const again: CallOutcome = { kind: 'again', inMs: 1000, failed: true };
export const held = (forMs?: number): CallOutcome => ({ kind: 'held', forMs, reason: '529 overloaded_error' });
