import { Leftovers } from '../execute/leftovers.ts';
import { runPass } from '../execute/runPass.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { MisuseError } from '../misuse.ts';
import type { InvokeRequest, MemoEntry, Opcode, PassAnswer, StepError } from '../protocol.ts';
import type { RunStep } from '../records/runs.ts';
import { hashStepId } from '../stepId.ts';
import type { AnyWorkflow } from '../workflow.ts';
import { latestSteps, type RunFixture, readFixture } from './fixture.ts';
import { kindNames, recordedKind } from './recordedKind.ts';

/** What a replay found, if the handler did not diverge. */
export interface Replayed {
  readonly passes: number;
  /** Steps that the recording does not have, after all that it has. They are no divergence. */
  readonly added: readonly string[];
  /** `waiting`: the handler goes on after the recording. */
  readonly status: 'succeeded' | 'failed' | 'waiting';
  /** What the handler returned, if it succeeded. It may differ from the recorded result. */
  readonly result?: unknown;
  readonly error?: StepError;
}

/** The handler does not do what the recording of one of its runs says. */
export class DivergenceError extends Error {
  override name = 'DivergenceError';
  /** The step of the recording, or the new one, at which they part. */
  readonly step: string;
  readonly runId: string;

  constructor({ run }: RunFixture, step: string, reason: string) {
    super(
      `workflow "${run.workflow}" diverges from run ${run.id}: ${reason}. Runs under way began with other steps. ` +
        'Check that they bear the change, or make it in a workflow with a new name.',
    );
    this.step = step;
    this.runId = run.id;
  }
}

/**
 * Replays a recorded run over the present code of its workflow: with the saved results of no step,
 * of the first one, of the first two, and so on. No body of a step executes. Rejects with a
 * `DivergenceError` at the first step that the code no longer reaches, reaches too late, or makes
 * of another kind.
 *
 * @example
 * ```ts
 * await replayRecorded(fulfil, 'test/fixtures/fulfil.json');
 * ```
 */
export async function replayRecorded(workflow: AnyWorkflow, recorded: RunFixture | string | URL): Promise<Replayed> {
  const fixture = typeof recorded === 'string' || recorded instanceof URL ? await readFixture(recorded) : recorded;
  return new Replayer(workflow, fixture).replay();
}

/** What one pass showed. */
interface Look {
  answer: PassAnswer;
  reached: ReadonlySet<string>;
  found: readonly Opcode[];
  /** Whether the handler has ended, and its outcome counts once what it found is saved. */
  isOver: boolean;
}

class Replayer {
  readonly #workflow: AnyWorkflow;
  readonly #fixture: RunFixture;
  readonly #steps: ReadonlyMap<string, RunStep>;
  /** In the order in which they ended. */
  readonly #settled: readonly RunStep[];
  /** Recorded steps that never settled: the run ended while they waited, or before their retry. */
  readonly #unsettled: ReadonlyMap<string, RunStep>;
  /** Those of them that a pass has begun. Later passes find them pending. */
  readonly #begun = new Set<string>();
  readonly #everReached = new Set<string>();
  #attempt = 1;
  #passes = 0;

  constructor(workflow: AnyWorkflow, fixture: RunFixture) {
    this.#workflow = workflow;
    this.#fixture = fixture;
    // The library's own steps are none of the handler's.
    const handlers = fixture.steps.filter(({ name }) => !isOwnName(name));
    this.#steps = new Map(latestSteps(handlers).map((step) => [step.name, step]));
    this.#settled = fixture.order.flatMap((name) => this.#steps.get(name) ?? []);
    const settled = new Set(fixture.order);
    this.#unsettled = new Map([...this.#steps].filter(([name]) => !settled.has(name)));
  }

  async replay(): Promise<Replayed> {
    let look = await this.#lookWith(0);
    for (let count = 1; count <= this.#settled.length; count += 1) look = await this.#lookWith(count);
    const missing = [...this.#steps.values()].find((step) => !this.#isReached(step));
    if (missing !== undefined)
      throw this.#diverges(missing.name, `the handler no longer reaches step "${missing.name}"`);
    const { answer, found } = look;
    const added = found.filter(({ name }) => !this.#steps.has(name)).map(({ name }) => name);
    const common = { passes: this.#passes, added };
    if (answer.status === 200) return { ...common, status: 'succeeded', result: answer.body.data ?? null };
    return answer.status === 500
      ? { ...common, status: 'failed', error: answer.body.error }
      : { ...common, status: 'waiting' };
  }

  /** Looks at a pass with the first saved results, and throws if it diverges. */
  async #lookWith(count: number): Promise<Look> {
    const memo = this.#settled.slice(0, count);
    const look = await this.#pass(memo);
    for (const name of look.reached) this.#everReached.add(name);
    this.#checkKinds(look);
    this.#checkReached(memo, look);
    // The next pass of the recorded run found these steps pending, and answered the outcome.
    if (this.#begins(look) && look.isOver) return this.#lookWith(count);
    const { answer } = look;
    // Steps that the handler has reached may have ended while its last pass executed.
    const missing = [...this.#settled.slice(count), ...this.#steps.values()].find((step) => !this.#isReached(step));
    if (answer.status === 200 && missing !== undefined)
      throw this.#diverges(missing.name, `the handler ends before step "${missing.name}"`);
    if (answer.status !== 500) return look;
    const { name, message } = answer.body.error;
    if (name === 'NonDeterminismError') throw this.#diverges(nameIn(message), message);
    const { attempt, status } = this.#fixture.run;
    // The handler of the recorded run may have thrown here, and then executed again.
    if (this.#attempt < attempt) {
      this.#attempt += 1;
      return this.#lookWith(count);
    }
    if (missing === undefined && status !== 'succeeded') return look;
    const place = missing === undefined ? 'at its end' : `before step "${missing.name}"`;
    throw this.#diverges(missing?.name ?? '', `the handler throws ${place}: ${name ?? 'Error'}: ${message}`);
  }

  #isReached({ name }: RunStep): boolean {
    return this.#everReached.has(name);
  }

  /**
   * Notes the steps that the pass began and the recorded run never settled. Whether there are new
   * ones.
   */
  #begins({ found }: Look): boolean {
    const before = this.#begun.size;
    for (const { name } of found) if (this.#unsettled.has(name)) this.#begun.add(name);
    return this.#begun.size > before;
  }

  #checkKinds({ found }: Look): void {
    for (const { name, op } of found) {
      const step = this.#steps.get(name);
      const kind = step && recordedKind(step);
      if (kind === undefined || kind === op) continue;
      throw this.#diverges(name, `step "${name}" was ${kindNames[kind]}, and is ${kindNames[op]} now`);
    }
  }

  /** Each saved step must be reached. What was found instead explains why one was not. */
  #checkReached(memo: readonly RunStep[], { reached, found }: Look): void {
    const lost = memo.find(({ name }) => !reached.has(name));
    if (lost === undefined) return;
    const { name } = lost;
    const fresh = found.find((each) => !this.#steps.has(each.name));
    if (fresh !== undefined)
      throw this.#diverges(fresh.name, `step "${fresh.name}" is new, and comes before the recorded step "${name}"`);
    // A handler that executed again may have ended the step on another way. The end of the replay
    // looks for steps that no pass has reached.
    if (this.#fixture.run.attempt > 1) return;
    const moved = found.find((each) => !memo.some((saved) => saved.name === each.name));
    if (moved !== undefined) throw this.#diverges(moved.name, `step "${moved.name}" now comes before step "${name}"`);
    throw this.#diverges(name, `the handler no longer reaches step "${name}"`);
  }

  async #pass(memo: readonly RunStep[]): Promise<Look> {
    this.#passes += 1;
    const reached = new Set<string>();
    const reply = await runPass(this.#workflow, this.#request(memo), {
      leftovers: new Leftovers(),
      aiDefaults: this.#workflow.aiDefaults,
      signal: new AbortController().signal,
      fakeOf: () => () => null,
      onReached: (name) => void reached.add(name),
    });
    const { status, body } = reply ?? { status: 0, body: '{}' };
    if (status === 404) throw new MisuseError(asDeclared<{ error: string }>(JSON.parse(body)).error);
    const answer = asDeclared<PassAnswer>({ status, body: JSON.parse(body) });
    const opcodes = answer.status === 206 ? answer.body.opcodes : [];
    const found = opcodes.filter(({ name }) => reached.has(name));
    return { answer, reached, found, isOver: opcodes.some(({ name }) => isOwnName(name)) };
  }

  #request(memo: readonly RunStep[]): InvokeRequest {
    const { id, app, workflow, tags, session, triggerKind, eventName, eventId, input, createdAt, onFailureOf } =
      this.#fixture.run;
    const data = structuredClone(input ?? {});
    return {
      event: { name: eventName ?? workflow, data, ts: createdAt, ...(eventId !== undefined && { id: eventId }) },
      steps: Object.fromEntries([
        ...memo.map((step) => [hashStepId(step.name), entryOf(step)] as const),
        ...[...this.#begun].map((name) => [hashStepId(name), { pending: true }] as const),
      ]),
      ctx: {
        ...{ runId: id, workflow, app, attempt: this.#attempt, runner: '', triggerKind },
        ...(tags !== undefined && { tags }),
        ...(session !== undefined && { session }),
        ...(onFailureOf !== undefined && { onFailure: true, error: asDeclared<{ error: StepError }>(data).error }),
      },
    };
  }

  #diverges(step: string, reason: string): DivergenceError {
    return new DivergenceError(this.#fixture, step, reason);
  }
}

/** Whether a step is the library's, which asks for another pass at once. */
const isOwnName = (name: string): boolean => /^@more(:\d+)?$/.test(name);

const entryOf = ({ status, output, error }: RunStep): MemoEntry => {
  if (status === 'failed') return { error: error ?? { message: 'unknown' } };
  return { data: status === 'skipped' ? null : structuredClone(output ?? null) };
};

/** The step that an error of the library names. */
const nameIn = (message: string): string => /step "([^"]*)"/.exec(message)?.[1] ?? '';
