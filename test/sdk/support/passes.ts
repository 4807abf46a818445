import type { AiDefaults } from '../../../sdk/src/ai/aiDefaults.ts';
import { Leftovers } from '../../../sdk/src/execute/leftovers.ts';
import { runPass } from '../../../sdk/src/execute/runPass.ts';
import type { InvokeContext, MemoEntry, Opcode, StepError, WireEvent, WireLogLine } from '../../../sdk/src/protocol.ts';
import { hashStepId } from '../../../sdk/src/stepId.ts';
import type { AnyWorkflow } from '../../../sdk/src/workflow.ts';

export interface Answer {
  status: number;
  data?: unknown;
  hasData: boolean;
  error?: StepError;
  retriable?: boolean;
  retryAfterMs?: number;
  opcodes: Opcode[];
  /** How many saved steps the handler reached. */
  reached?: number;
  logs: WireLogLine[];
  bytes: number;
}

export interface PassInput {
  /** Saved steps by readable name, in the order of their completion. */
  memo?: Record<string, MemoEntry>;
  event?: WireEvent;
  events?: WireEvent[];
  ctx?: Partial<InvokeContext>;
  leftovers?: Leftovers;
  aiDefaults?: AiDefaults;
  signal?: AbortSignal;
}

/** Runs one pass, as the service would request it. Undefined if it was aborted. */
export async function tryPass(workflow: AnyWorkflow, input: PassInput = {}): Promise<Answer | undefined> {
  const memo = Object.entries(input.memo ?? {}).map(([name, entry]) => [hashStepId(name), entry]);
  const request = {
    event: input.event ?? { id: 'e1', name: 'started', data: {} },
    ...(input.events !== undefined && { events: input.events }),
    steps: Object.fromEntries(memo),
    ctx: { runId: 'r1', workflow: workflow.name, attempt: 1, app: workflow.app, runner: '', ...input.ctx },
  };
  const leftovers = input.leftovers ?? new Leftovers();
  const signal = input.signal ?? new AbortController().signal;
  const reply = await runPass(workflow, request, { leftovers, aiDefaults: input.aiDefaults, signal });
  if (reply === undefined) return undefined;
  const body = JSON.parse(reply.body);
  return {
    opcodes: [],
    logs: [],
    ...body,
    status: reply.status,
    hasData: 'data' in body,
    bytes: Buffer.byteLength(reply.body),
  };
}

export async function pass(workflow: AnyWorkflow, input: PassInput = {}): Promise<Answer> {
  const answer = await tryPass(workflow, input);
  if (answer === undefined) throw new Error('the pass was aborted');
  return answer;
}

export interface Played {
  answer: Answer;
  /** Names of the opcodes of each pass. */
  passes: string[][];
}

/**
 * Drives a run to its end like the service. Saves results of steps in order, and completes parked
 * steps one at a time, in the order of their names in `wake`.
 */
export async function play(
  workflow: AnyWorkflow,
  input: PassInput & { wake?: (string | [string, unknown])[] } = {},
): Promise<Played> {
  const memo: Record<string, MemoEntry> = { ...input.memo };
  const parked = new Set<string>();
  const wake = [...(input.wake ?? [])];
  const passes: string[][] = [];
  for (let count = 0; count < 300; count += 1) {
    const pending = Object.fromEntries([...parked].map((name) => [name, { pending: true as const }]));
    const answer = await pass(workflow, { ...input, memo: { ...memo, ...pending } });
    passes.push(answer.opcodes.map((opcode) => opcode.name));
    if (answer.status !== 206) return { answer, passes };
    const isReady = answer.opcodes.map((opcode) => save(opcode, memo, parked)).includes(true);
    if (!isReady) wakeNext(wake, memo, parked);
  }
  throw new Error('the run does not end');
}

function save(opcode: Opcode, memo: Record<string, MemoEntry>, parked: Set<string>): boolean {
  // The id of the library's own step is not the hash of its name.
  if (opcode.id !== hashStepId(opcode.name)) memo[`\0${opcode.name}`] = { data: null };
  else if (opcode.op === 'StepRun' && opcode.error !== undefined) memo[opcode.name] = { error: opcode.error };
  else if (opcode.op === 'StepRun') memo[opcode.name] = { data: opcode.skipped ? null : (opcode.data ?? null) };
  else if (opcode.op === 'Emit') memo[opcode.name] = { data: { eventId: `event of ${opcode.name}`, runIds: [] } };
  else if (opcode.op === 'Score') memo[opcode.name] = { data: { scoreId: `score of ${opcode.name}` } };
  else if (opcode.op === 'Webhook') memo[opcode.name] = { data: { deliveryId: `delivery of ${opcode.name}` } };
  else {
    parked.add(opcode.name);
    return false;
  }
  return true;
}

function wakeNext(wake: (string | [string, unknown])[], memo: Record<string, MemoEntry>, parked: Set<string>): void {
  const next = wake.shift() ?? [...parked][0];
  if (next === undefined) throw new Error('the run waits for nothing');
  const [name, data] = typeof next === 'string' ? [next, null] : next;
  if (!parked.delete(name)) throw new Error(`${name} is not parked`);
  memo[name] = { data };
}
