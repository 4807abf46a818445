import { NonDeterminismError } from '../errors.ts';
import { asDeclared } from '../json/asDeclared.ts';
import type { AiAllowance, ContinuedEntry, ContinueFrame, InvokeContext, MemoEntry } from '../protocol.ts';
import { stepNameOf } from '../stepId.ts';
import type { AnyWorkflow } from '../workflow.ts';
import { discoveredReply, failureReply, type PassReply, resultReply } from './answer.ts';
import type { Leftovers } from './leftovers.ts';
import type { Report } from './opcodeText.ts';
import type { Pass } from './pass.ts';
import type { PassEnd } from './passEnd.ts';
import type { PassLog } from './passLog.ts';
import type { OnStarted } from './startedBodies.ts';

/** A handler that was called, with what its answers need. */
export interface CalledHandler {
  readonly workflow: AnyWorkflow;
  readonly ctx: InvokeContext;
  readonly pass: Pass;
  readonly leftovers: Leftovers;
}

/** An answer, with its handler if it is suspended and can be continued. */
export interface Answered {
  readonly reply: PassReply;
  readonly suspended?: SuspendedHandler | undefined;
}

/** The next answer of a handler. Undefined if its pass was aborted. */
export async function answerOf(called: CalledHandler): Promise<Answered | undefined> {
  const end = await called.pass.end;
  if (end === undefined) return undefined;
  warnOfUnreached(called);
  return end.kind === 'discovered' ? discovered(called, end) : settled(called, end);
}

function discovered(called: CalledHandler, end: Extract<PassEnd, { kind: 'discovered' }>): Answered {
  const { ctx, leftovers, pass } = called;
  const { continuations, hasWaited, log, reached } = pass;
  const { reply, rest } = discoveredReply({ ...end, reached, continuations, hasWaited }, log);
  if (rest.length > 0) leftovers.keep(ctx.runId, rest);
  const continues = !end.asksAgain && rest.length === 0 && follows(end.reports) && pass.isSuspended;
  return { reply, suspended: continues ? new SuspendedHandler(called, end.reports) : undefined };
}

/** Whether the next pass follows at once, and repeats no failed step. */
const follows = (reports: readonly Report[]): boolean =>
  reports.some(({ isReady }) => isReady) && reports.every(({ isReady, kind }) => isReady || kind !== 'StepRun');

function settled(
  { ctx, leftovers, pass, workflow }: CalledHandler,
  { outcome, unbegun }: Extract<PassEnd, { kind: 'settled' }>,
): Answered {
  leftovers.forget(ctx.runId);
  warnOfUnbegun(unbegun, workflow, pass.log);
  return {
    reply: outcome.ok ? resultReply(workflow.name, outcome.value, pass.log) : failureReply(outcome.error, pass.log),
  };
}

/** A handler that waits for its saved steps alone, and the results that its answer reported. */
export class SuspendedHandler {
  readonly #called: CalledHandler;
  readonly #reported: ReadonlyMap<string, Report>;

  constructor(called: CalledHandler, reports: readonly Report[]) {
    this.#called = called;
    this.#reported = new Map(reports.filter(({ kind }) => kind === 'StepRun').map((report) => [report.id, report]));
  }

  get runId(): string {
    return this.#called.ctx.runId;
  }

  get workflow(): string {
    return this.#called.workflow.name;
  }

  /** Whether the handler can go on from here. Otherwise only its replay can (P7 of `Pass`). */
  canTake({ steps, ai }: Pick<ContinueFrame, 'steps' | 'ai'>): boolean {
    const { ctx, pass } = this.#called;
    if (!pass.isSuspended || (ai !== undefined && ctx.ai === undefined)) return false;
    return Object.entries(steps).every(([id, entry]) => !isOk(entry) || this.#reported.has(id));
  }

  /** Continues the handler, once. Undefined if its pass was aborted. */
  continue(
    { steps, ai }: Pick<ContinueFrame, 'steps' | 'ai'>,
    onStarted: OnStarted | undefined,
  ): Promise<Answered | undefined> {
    const { ctx, pass } = this.#called;
    // The handler and its steps read this object, as they would read that of another pass.
    if (ai !== undefined) Object.assign<AiAllowance, AiAllowance>(ctx.ai ?? ai, ai);
    pass.continue(
      Object.fromEntries(Object.entries(steps).map(([id, entry]) => [id, isOk(entry) ? this.#own(id) : entry])),
      onStarted,
    );
    return answerOf(this.#called);
  }

  /** The entry of a step that this runner reported: the text, as a replay reads it. */
  #own(id: string): MemoEntry {
    const opcode = asDeclared<{ data?: unknown; skipped?: boolean }>(JSON.parse(this.#reported.get(id)?.text ?? '{}'));
    return { data: opcode.skipped === true ? null : (opcode.data ?? null) };
  }
}

const isOk = (entry: ContinuedEntry): entry is { ok: true } => 'ok' in entry;

/** Warns of child runs, approvals and model calls that the handler does not await. */
function warnOfUnbegun(unbegun: readonly string[], workflow: AnyWorkflow, log: PassLog): void {
  if (unbegun.length === 0) return;
  const message =
    `workflow "${workflow.name}" ended before it awaited ${listed(unbegun)}: an unawaited child run, approval or ` +
    'model call does not begin. Await it, or emit an event that starts an independent run.';
  log.addOwn(1, 'warn', message);
}

/** At most a few of the names, quoted. */
function listed(names: readonly string[]): string {
  const some = names.slice(0, 5).map((name) => `"${name}"`);
  return `${some.join(', ')}${names.length > some.length ? ` and ${names.length - some.length} more` : ''}`;
}

/**
 * Warns of saved steps that the handler did not reach, so it diverged from an earlier pass. That
 * can be legitimate: it reads a clock, or its code was fixed during a sleep.
 */
function warnOfUnreached({ pass, workflow }: CalledHandler): void {
  const unreached = pass.unreached;
  if (unreached.length === 0) return;
  const names = unreached.map((id) => stepNameOf(id) ?? `${id.slice(0, 12)}…`);
  const message =
    `workflow "${workflow.name}" did not reach ${listed(names)}, saved in an earlier pass of this run. ` +
    'Did its steps change, or do they depend on values that vary between passes, such as the time or a ' +
    'random number? Make such decisions inside a step, and put changed steps into a workflow with a new name.';
  pass.log.addOwn(0, 'warn', new NonDeterminismError(message).toString());
}
