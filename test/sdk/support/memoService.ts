import { Leftovers } from '../../../sdk/src/execute/leftovers.ts';
import { beginPass } from '../../../sdk/src/execute/runPass.ts';
import type { Answered, SuspendedHandler } from '../../../sdk/src/execute/suspendedHandler.ts';
import type { AnyWorkflow } from '../../../sdk/src/index.ts';
import type { ContinuedEntry, InvokeRequest, MemoEntry, Opcode, WireLogLine } from '../../../sdk/src/protocol.ts';

/** Draws numbers from 0 to `below` - 1. */
export type Draw = (below: number) => number;

export interface MemoServiceOptions {
  maxAttempts: number;
  /** The limit of AI spend; undefined for none. */
  maxTokens: number | undefined;
  /** Decides what happens in the world: the same for each way of passing on. */
  world: Draw;
  /** Whether a held handler is continued, at each chance. */
  continues: () => boolean;
}

/** What a run left behind: the same, whether its handler was continued or replayed. */
export interface Journal {
  /** Of each answer: its status, its body without lines, and the state of the memo before it. */
  answers: unknown[];
  /** Each line once, as the service stores it. */
  lines: unknown[];
}

interface Open {
  op: Opcode['op'];
  /** Of a step that failed and is retried: the number of its next attempt. */
  attempt?: number;
}

/** The service in the memory of a test: a memo, and a world that ends what waits. */
export class MemoService {
  continued = 0;
  readonly #workflow: AnyWorkflow;
  readonly #options: MemoServiceOptions;
  readonly #settled = new Map<string, MemoEntry>();
  readonly #open = new Map<string, Open>();
  readonly #due = new Map<string, number>();
  readonly #attempts = new Map<string, number>();
  readonly #leftovers = new Leftovers();
  readonly #lines = new Map<string, unknown>();
  readonly #answers: unknown[] = [];
  #attempt = 1;
  #tokens = 0;

  constructor(workflow: AnyWorkflow, options: MemoServiceOptions) {
    this.#workflow = workflow;
    this.#options = options;
  }

  async run(): Promise<Journal> {
    let held: SuspendedHandler | undefined;
    let known = new Map<string, MemoEntry>();
    let reported: ReadonlySet<string> = new Set();
    for (let turns = 0; turns < 300; turns += 1) {
      const memo = this.#memo();
      const answered = await this.#answer(memo, { held, known, reported });
      known = memo;
      held = answered.suspended;
      const body = JSON.parse(answered.reply.body);
      this.#note(answered, body);
      if (answered.reply.status === 200) return this.#journal();
      if (answered.reply.status === 500) {
        if (this.#attempt >= this.#options.maxAttempts || body.retriable === false) return this.#journal();
        this.#attempt += 1;
        continue;
      }
      const opcodes: Opcode[] = body.opcodes;
      const isFatal = opcodes.some((opcode) => opcode.op === 'StepRun' && opcode.retriable === false);
      const ready = opcodes.map((opcode) => this.#save(opcode));
      if (isFatal) return this.#journal();
      reported = new Set(opcodes.flatMap((opcode, at) => (opcode.op === 'StepRun' && ready[at] ? [opcode.id] : [])));
      // The world may act while the run executes, and must when the run waits.
      if (!ready.includes(true) || this.#options.world(4) === 0) this.#happen();
    }
    throw new Error('the run does not end');
  }

  #answer(
    memo: Map<string, MemoEntry>,
    last: { held: SuspendedHandler | undefined; known: Map<string, MemoEntry>; reported: ReadonlySet<string> },
  ): Promise<Answered> {
    const { held, known, reported } = last;
    const steps = Object.fromEntries(
      [...memo].flatMap(([id, entry]): [string, ContinuedEntry][] => {
        if (known.get(id) === entry) return [];
        return [[id, reported.has(id) && 'data' in entry ? { ok: true } : entry]];
      }),
    );
    const frame = { steps, ...(this.#ai && { ai: this.#ai }) };
    const mayContinue = this.#options.continues();
    if (held && mayContinue && this.#due.size === 0 && held.canTake(frame)) {
      this.continued += 1;
      return sure(held.continue(frame, undefined));
    }
    const { signal } = new AbortController();
    return sure(beginPass(this.#workflow, this.#request(memo), { leftovers: this.#leftovers, signal }));
  }

  /** Settled steps in the order of their ends, then those that wait. */
  #memo(): Map<string, MemoEntry> {
    const open = [...this.#open.keys()].map((id): [string, MemoEntry] => [id, pending]);
    return new Map([...this.#settled, ...open]);
  }

  #request(memo: Map<string, MemoEntry>): InvokeRequest {
    const { app, name } = this.#workflow;
    return {
      event: { id: 'e', name: 'start', data: { key: 'red' }, ts: '2026-01-01T00:00:00.000Z' },
      // As over the wire: the handler gets values of its own.
      steps: JSON.parse(JSON.stringify(Object.fromEntries(memo))),
      ctx: {
        ...{ runId: 'r', workflow: name, attempt: this.#attempt, app, runner: '' },
        ...(this.#due.size > 0 && { stepAttempts: Object.fromEntries(this.#due) }),
        ...(this.#ai && { ai: this.#ai }),
      },
    };
  }

  get #ai() {
    const { maxTokens } = this.#options;
    return maxTokens === undefined ? undefined : { tokens: this.#tokens, maxTokens };
  }

  /** Whether the run continues because of it. */
  #save(opcode: Opcode): boolean {
    const { id } = opcode;
    const attempt = this.#due.get(id) ?? 1;
    this.#due.delete(id);
    this.#attempts.set(opcode.name, attempt);
    if (opcode.op !== 'StepRun') return this.#saveOther(opcode);
    this.#tokens += (opcode.usage?.tokensIn ?? 0) + (opcode.usage?.tokensOut ?? 0);
    if (opcode.error === undefined) this.#settled.set(id, { data: opcode.skipped ? null : (opcode.data ?? null) });
    else if (attempt < (opcode.retry?.maxAttempts ?? this.#options.maxAttempts)) {
      this.#open.set(id, { op: 'StepRun', attempt: attempt + 1 });
      return false;
    } else this.#settled.set(id, { error: opcode.error });
    return true;
  }

  #saveOther({ id, op }: Opcode): boolean {
    const data = ownResults[op];
    if (data === undefined) this.#open.set(id, { op });
    else this.#settled.set(id, { data });
    return data !== undefined;
  }

  /** Something that waits ends, or a failed step is due again. */
  #happen(): void {
    const ids = [...this.#open.keys()];
    const id = ids[this.#options.world(Math.max(1, ids.length))];
    const open = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined || open === undefined) return;
    this.#open.delete(id);
    if (open.attempt !== undefined) this.#due.set(id, open.attempt);
    else this.#settled.set(id, ends[open.op]?.[this.#options.world(2)] ?? { data: null });
  }

  #note({ reply }: Answered, { logs, ...rest }: { logs: WireLogLine[] }): void {
    const text = JSON.stringify(rest, (key, value: unknown) =>
      key === 'stack' || key === 'latencyMs' ? undefined : value,
    );
    this.#answers.push({ status: reply.status, ...JSON.parse(text) });
    for (const { scope, index, level, message, fields } of logs) {
      const attempt = scope === '@root' ? this.#attempt : (this.#due.get(scope) ?? this.#attempts.get(scope) ?? 1);
      const key = `${scope}/${attempt}/${index}/${scope === '@root' ? '' : message}`;
      if (!this.#lines.has(key)) this.#lines.set(key, { scope, attempt, index, level, message, fields });
    }
  }

  #journal(): Journal {
    return { answers: this.#answers, lines: [...this.#lines.values()] };
  }
}

const pending: MemoEntry = { pending: true };

/** The results of steps that the service settles at once. */
const ownResults: Partial<Record<Opcode['op'], unknown>> = {
  Emit: { eventId: 'e1', runIds: [] },
  Score: { scoreId: 's1' },
  Webhook: { deliveryId: 'd1' },
};

const decision = {
  status: 'approved',
  args: { of: 'it' },
  decidedBy: 'test',
  decidedVia: 'api',
  decidedAt: '2026-01-01',
};

/** The ends of steps that wait, two of each. */
const ends: Partial<Record<Opcode['op'], MemoEntry[]>> = {
  WaitForEvent: [{ data: null }, { data: { id: 'e2', name: 'rain', data: { key: 'red' }, ts: '2026-01-01' } }],
  RunWorkflow: [{ data: ['child'] }, { error: { name: 'Error', message: 'the child failed' } }],
  Approval: [{ data: decision }, { data: { ...decision, status: 'denied' } }],
};

async function sure(answered: Promise<Answered | undefined>): Promise<Answered> {
  const given = await answered;
  if (given === undefined) throw new Error('a pass was aborted');
  return given;
}
