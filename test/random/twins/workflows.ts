import {
  type AnyWorkflow,
  type HandlerContext,
  Holdfast,
  NonRetriableError,
  RetryAfterError,
} from '../../../sdk/src/index.ts';
import { type Node, type Program, startOf } from '../program/program.ts';
import type { Extras, Script } from './script.ts';

/** What a handler here uses of its context. */
type Context = Pick<HandlerContext, 'event' | 'step' | 'log' | 'run'>;

/** The programs of a script as workflows of the SDK, which both worlds execute. */
export function workflowsOf(script: Script): AnyWorkflow[] {
  const hf = new Holdfast({ app: 'default', apiKey: 'none' });
  return script.programs.map((program, level) => hf.workflow(optionsOf(program, level), handlerOf(program)));
}

function optionsOf({ name, maxAttempts, onFailure, extras }: Program & { extras: Extras }, level: number) {
  const { backoff, cancelOn, maxDuration, maxTokens } = extras;
  return {
    name,
    triggers: [{ event: startOf(level) }],
    retry: { maxAttempts, backoff, initialDelayMs: 1_000 },
    ...(cancelOn !== undefined && { cancelOn: [{ event: cancelOn, if: 'data.key == run.input.key' }] }),
    ...(maxDuration !== undefined && { maxDuration }),
    ...(maxTokens !== undefined && { cap: { maxTokens } }),
    ...(onFailure && {
      onFailure: ({ error, event, step }: { error: Error } & Context) =>
        step.run('cleanUp', () => ({ error: error.message, event: event.data })),
    }),
  };
}

const handlerOf =
  ({ nodes, logs, extras }: Script['programs'][number]) =>
  (context: Context): Promise<unknown[]> =>
    new Player(context, { logs, spends: extras.maxTokens !== undefined, emits: emits(nodes) }).sequence(nodes);

const emits = (nodes: readonly Node[]): boolean =>
  nodes.some((node) => node.kind === 'emit' || ('branches' in node && node.branches.some(emits)));

interface Habits {
  logs: boolean;
  spends: boolean;
  /** An emitted event and a wait of 0 ms end in no certain order, so no wait is that short. */
  emits: boolean;
}

/** Plays a program with the steps of the SDK. */
class Player {
  readonly #context: Context;
  readonly #habits: Habits;

  constructor(context: Context, habits: Habits) {
    this.#context = context;
    this.#habits = habits;
  }

  async sequence(nodes: readonly Node[]): Promise<unknown[]> {
    const values: unknown[] = [];
    for (const node of nodes) {
      values.push(await this.#caught(node));
      if (this.#habits.logs) this.#context.log.info('went on', { after: 'name' in node ? node.name : node.kind });
    }
    return values;
  }

  async #caught(node: Node): Promise<unknown> {
    try {
      return await this.#node(node);
    } catch (error) {
      if ('caught' in node && node.caught && error instanceof Error)
        return { caught: `${error.name}: ${error.message}` };
      throw error;
    }
  }

  #node(node: Node): unknown {
    const { step, run, event } = this.#context;
    switch (node.kind) {
      case 'parallel':
        return Promise.all(node.branches.map((branch) => this.sequence(branch)));
      case 'race':
        return Promise.race(node.branches.map((branch) => this.sequence(branch)));
      case 'toss':
        if (run.attempt <= node.times) throw new Error(`${node.name} tossed in ${run.attempt}`);
        return 'caught itself';
      case 'step':
        return this.#stepRun(node);
      case 'sleep':
        return step.sleep(node.name, node.ms).then(() => null);
      case 'sleepUntil':
        return step.sleepUntil(node.name, Date.parse(event.ts ?? '') + node.aheadMs).then(() => null);
      case 'wait':
        return this.#wait(node);
      case 'emit':
        return step.emit(node.name, { name: node.event, data: { key: node.key } }).then(({ runIds }) => runIds.length);
      case 'child':
        return step.runWorkflow(node.name, { name: node.workflow }, { data: { key: 'red' }, tags: { by: node.name } });
      case 'score':
        return numberOf(node.name) % 2 === 1
          ? step.webhook(node.name, { url: 'https://partner.invalid/', data: node.name }).then(() => 'sent')
          : step.score(node.name, { name: 'quality', value: 1 }).then(() => 'scored');
      case 'approval':
        return this.#approval(node);
      case 'unknown':
        // The SDK knows all of its opcodes. So this is a result that nobody can save.
        return step.run(node.name, () => 1n);
    }
  }

  #stepRun({ name, fails, fatalAt, skip, retryAfterMs }: Extract<Node, { kind: 'step' }>): Promise<unknown> {
    const { step, log } = this.#context;
    if (skip) return step.skip(name, 'not today');
    const body = ({ attempt }: { attempt: number }): string => {
      if (this.#habits.logs) log.warn('in a body', { attempt });
      if (attempt === fatalAt) throw new NonRetriableError(`${name} broke for good, attempt ${attempt}`);
      const message = `${name} broke, attempt ${attempt}`;
      if (attempt <= fails) throw retryAfterMs > 0 ? new RetryAfterError(message, retryAfterMs) : new Error(message);
      return name;
    };
    const retry = numberOf(name) % 4 === 3 ? { maxAttempts: 2, backoff: 'fixed' as const } : undefined;
    if (!this.#habits.spends) return step.run(name, { input: { of: name }, retry }, (_input, info) => body(info));
    return step.ai.wrap(name, { retry }, (info) => {
      info.report({ tokensIn: 10, tokensOut: numberOf(name) % 3, latencyMs: 0 });
      return body(info);
    });
  }

  async #wait({ name, event, key, timeoutMs }: Extract<Node, { kind: 'wait' }>): Promise<unknown> {
    const guard = key === undefined ? undefined : `event.data.key == "${key}"`;
    const heard = await this.#context.step.waitForEvent<{ key?: string }>(name, {
      ...{ event, if: guard, timeout: timeoutMs === 0 && this.#habits.emits ? 1 : timeoutMs },
      // Some waits take an event that came before them.
      ...(numberOf(name) % 3 === 0 && { since: Date.parse(this.#context.event.ts ?? '') - 500 }),
    });
    return heard === null ? 'timed out' : { heard: heard.name, key: heard.data.key };
  }

  async #approval({ name, timeoutMs: timeout, onTimeout }: Extract<Node, { kind: 'approval' }>): Promise<unknown> {
    const question = { tool: 'deploy', args: { of: name }, timeout, onTimeout };
    const { status, args, decidedBy } = await this.#context.step.approval(name, question);
    return { status, args, decidedBy };
  }
}

const numberOf = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0);
