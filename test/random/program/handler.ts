import type { InvokeRequest, MemoEntry, StepError } from '@holdfast/sdk/protocol';
import { idOf } from '../../support/scriptedRunner.ts';
import { keys, levelOf, type Node, type Program, startOf } from './program.ts';
import { refusalOf, spends, usageOf } from './spend.ts';

export type OpcodeFields = { op: string; name: string; [field: string]: unknown };

/** The result of a handler with a given memo. */
export type Outcome =
  | { kind: 'done'; value: unknown }
  | { kind: 'threw'; error: StepError }
  /** The handler reports newly found steps. Pending steps may be its only reason to wait. */
  | { kind: 'blocked'; opcodes: OpcodeFields[] };

/**
 * `at`: the position in the memo of the latest result. The branch with the lowest position wins a
 * race.
 */
type Flow = { kind: 'done'; value: unknown; at: number } | { kind: 'threw'; error: StepError; at: number } | undefined;

type Leaf<K extends Node['kind']> = Extract<Node, { kind: K }>;

export const stepError = (name: string, attempt: number): StepError => ({
  message: `${name} broke, attempt ${attempt}`,
});
export const tossError = (name: string, attempt: number): StepError => ({
  name: 'Toss',
  message: `${name} tossed in ${attempt}`,
});

interface Known {
  entry: MemoEntry;
  at: number;
}

/** Plays a program as a handler, which depends only on the request, as replay demands. */
export function play(program: Program, request: Pick<InvokeRequest, 'steps' | 'ctx' | 'event'>): Outcome {
  const handler = new Handler(program, request);
  const nodes: Node[] = request.ctx.onFailure ? [handlesFailure] : program.nodes;
  const flow = handler.sequence(nodes);
  if (flow?.kind === 'done') return { kind: 'done', value: flow.value };
  if (flow?.kind === 'threw') return { kind: 'threw', error: flow.error };
  return { kind: 'blocked', opcodes: handler.opcodes };
}

/** The program of a follow-on run. */
export const handlesFailure: Node = {
  kind: 'step',
  name: 'cleanUp',
  fails: 0,
  fatalAt: 0,
  skip: false,
  caught: false,
  retryAfterMs: 0,
};

class Handler {
  readonly opcodes: OpcodeFields[] = [];
  readonly #known = new Map<string, Known>();
  readonly #program: Program;
  readonly #request: Pick<InvokeRequest, 'steps' | 'ctx' | 'event'>;

  constructor(program: Program, request: Pick<InvokeRequest, 'steps' | 'ctx' | 'event'>) {
    this.#program = program;
    this.#request = request;
    for (const [at, [id, entry]] of Object.entries(request.steps).entries()) this.#known.set(id, { entry, at });
  }

  sequence(nodes: readonly Node[]): Flow {
    const values: unknown[] = [];
    let at = -1;
    for (const node of nodes) {
      const flow = this.#node(node);
      if (!flow) return undefined;
      at = Math.max(at, flow.at);
      if (flow.kind === 'threw') return { ...flow, at };
      values.push(flow.value);
    }
    return { kind: 'done', value: values, at };
  }

  #node(node: Node): Flow {
    if (node.kind === 'parallel') return this.#parallel(node.branches);
    if (node.kind === 'race') return first(node.branches.map((branch) => this.sequence(branch)));
    if (node.kind === 'toss') return this.#toss(node);
    const known = this.#known.get(idOf(node.name));
    if (!known) {
      this.opcodes.push(this.#opcode(node));
      return undefined;
    }
    const { entry, at } = known;
    if ('pending' in entry) return undefined;
    if ('data' in entry) return { kind: 'done', value: resultOf(node, entry.data), at };
    if ('caught' in node && node.caught) return { kind: 'done', value: { caught: entry.error.message }, at };
    return { kind: 'threw', error: entry.error, at };
  }

  /** All branches proceed side by side. The first one that throws ends it. */
  #parallel(branches: Node[][]): Flow {
    const flows = branches.map((branch) => this.sequence(branch));
    const threw = first(flows.filter((flow) => flow?.kind === 'threw'));
    if (threw) return threw;
    const done = flows.flatMap((flow) => (flow?.kind === 'done' ? [flow] : []));
    if (done.length < flows.length) return undefined;
    return { kind: 'done', value: done.map((flow) => flow.value), at: Math.max(...done.map((flow) => flow.at)) };
  }

  #toss({ name, times }: Leaf<'toss'>): Flow {
    const { attempt } = this.#request.ctx;
    return attempt <= times
      ? { kind: 'threw', error: tossError(name, attempt), at: -1 }
      : { kind: 'done', value: 'caught itself', at: -1 };
  }

  #opcode(node: Exclude<Node, { branches: unknown } | { kind: 'toss' }>): OpcodeFields {
    const { name } = node;
    switch (node.kind) {
      case 'step':
        return this.#stepRun(node);
      case 'sleep':
        return { op: 'Sleep', name, sleepMs: node.ms };
      case 'sleepUntil':
        return { op: 'SleepUntil', name, sleepUntilMs: Date.parse(this.#request.event.ts ?? '') + node.aheadMs };
      case 'wait': {
        const eventIf = node.key === undefined ? undefined : `event.data.key == "${node.key}"`;
        return { op: 'WaitForEvent', name, eventName: node.event, timeoutMs: node.timeoutMs, eventIf };
      }
      case 'emit':
        return {
          op: 'Emit',
          name,
          eventName: this.#eventOf(node),
          data: { key: node.key, by: this.#request.ctx.runId, step: name },
        };
      case 'child':
        return {
          op: 'RunWorkflow',
          name,
          childName: node.workflow,
          childData: { by: this.#request.ctx.runId, step: name, key: keyOfChild(name) },
        };
      case 'score':
        return isSend(name)
          ? { op: 'Webhook', name, webhookUrl: 'https://partner.invalid/', data: name }
          : { op: 'Score', name, data: { name, value: 1 } };
      case 'approval':
        return { op: 'Approval', name, tool: 'deploy', timeoutMs: node.timeoutMs, onTimeout: node.onTimeout };
      case 'unknown':
        return { op: 'Levitate', name };
    }
  }

  /** A run of a singleton may displace itself: it starts another run, which does not. */
  #eventOf({ event }: Leaf<'emit'>): string {
    const { data } = this.#request.event;
    const isStartedByHandler = typeof data === 'object' && data !== null && 'by' in data;
    return this.#program.flow?.singleton && !isStartedByHandler ? startOf(levelOf(this.#program)) : event;
  }

  #stepRun({ name, fails, fatalAt, skip, retryAfterMs }: Leaf<'step'>): OpcodeFields {
    const { stepAttempts, ai } = this.#request.ctx;
    const refusal = refusalOf(this.#program, ai);
    if (refusal) return { op: 'StepRun', name, error: refusal, retriable: false };
    const common = { op: 'StepRun', name, ...(spends(this.#program) && { usage: usageOf(name) }) };
    const attempt = stepAttempts?.[idOf(name)] ?? 1;
    if (attempt === fatalAt) return { ...common, error: stepError(name, attempt), retriable: false };
    if (attempt <= fails) {
      const wish = retryAfterMs > 0 ? { retryAfterMs } : {};
      return { ...common, error: stepError(name, attempt), ...wish };
    }
    return skip ? { ...common, skipped: true, data: 'not today' } : { ...common, data: name };
  }
}

/** Always the same; every third child has none. */
const keyOfChild = (name: string): string | undefined => keys[numberOf(name) % 3];

/** Every second score is a custom send instead: both are side effects with one statement. */
const isSend = (name: string): boolean => numberOf(name) % 2 === 1;

const numberOf = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0);

function first(flows: Flow[]): Flow {
  let won: Flow;
  for (const flow of flows) if (flow && (!won || flow.at < won.at)) won = flow;
  return won;
}

/** The handler's value for a memo, equal in every execution of the same plan. */
function resultOf(node: Node, data: unknown): unknown {
  switch (node.kind) {
    case 'wait':
      return data === null ? 'timed out' : 'heard';
    case 'emit':
    case 'score':
      return node.kind;
    case 'approval':
      return typeof data === 'object' && data !== null && 'status' in data ? data.status : data;
    default:
      return data;
  }
}
