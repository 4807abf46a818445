import type { PassReply } from '../execute/answer.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { type AiAllowance, capReached, type PassAnswer, type StepError, type WireLogLine } from '../protocol.ts';
import type { Memo, StepRow } from './memo.ts';
import { type Effect, execute, type OpcodeSetting } from './opcodes.ts';
import { type ResolvedRetry, requestedDelayMs, retryDelayMs } from './retry.ts';

/** The ceilings of a run, as the service has them by default. */
export interface RunLimits {
  readonly stepsPerRun: number;
  /** Passes in a row whose handler reaches none of the saved steps. */
  readonly passesAstray: number;
  readonly memoMaxBytes: number;
}

/** The rules for an answer, and the state of the run before it. */
export interface Rules {
  readonly memo: Memo;
  readonly nowMs: number;
  /** Of the handler. */
  readonly attempt: number;
  /** Passes astray so far. */
  readonly repeats: number;
  readonly retry: ResolvedRetry;
  readonly ai: AiAllowance | undefined;
  readonly limits: RunLimits;
  readonly guardFault: OpcodeSetting['guardFault'];
}

/** The run after an answer. */
export type Next =
  | { readonly kind: 'goesOn' }
  | { readonly kind: 'parks' }
  /** The pass is sent again later, whatever settles meanwhile. Only a decision comes sooner. */
  | { readonly kind: 'retries'; readonly inMs: number; readonly error: StepError }
  | { readonly kind: 'succeeds'; readonly result: string | undefined }
  | { readonly kind: 'fails'; readonly error: StepError };

export interface Decision {
  readonly next: Next;
  readonly effects: readonly Effect[];
  readonly logs: readonly WireLogLine[];
  readonly attempt: number;
  readonly repeats: number;
}

/** Decides what an answer changes, by the rules of the service. Pure. */
export function decide({ status, body }: PassReply, rules: Rules): Decision {
  const { attempt } = rules;
  if (status >= 400 && status < 500) {
    const { error } = asDeclared<{ error: string }>(JSON.parse(body));
    return { next: { kind: 'fails', error: { message: error } }, effects: [], logs: [], attempt, repeats: 0 };
  }
  const answer = asDeclared<PassAnswer>({ status, body: JSON.parse(body) });
  const { logs } = answer.body;
  const common = { effects: [], logs, attempt, repeats: 0 };
  switch (answer.status) {
    case 200: {
      const { data } = answer.body;
      return { ...common, next: { kind: 'succeeds', result: data === undefined ? undefined : JSON.stringify(data) } };
    }
    case 206:
      return { ...common, ...discovered(answer.body, rules) };
    case 500:
      return { ...common, ...handlerFailed(answer.body, rules) };
  }
}

type HandlerFailure = Omit<Extract<PassAnswer, { status: 500 }>['body'], 'logs'>;

/**
 * The pass is retried as a whole. But if the error is that of a step that failed for good, the run
 * fails with that error.
 */
function handlerFailed(
  { error: { stepId, ...error }, retriable, retryAfterMs }: HandlerFailure,
  { memo, attempt, retry }: Rules,
): Pick<Decision, 'next' | 'attempt'> {
  const isLetThrough = typeof stepId === 'string' && memo.hasFailed(stepId);
  if (retriable === false || isLetThrough || attempt >= retry.maxAttempts)
    return { next: { kind: 'fails', error }, attempt };
  const inMs = requestedDelayMs(retryAfterMs) ?? retryDelayMs(retry, attempt);
  return { next: { kind: 'retries', inMs, error }, attempt: attempt + 1 };
}

type Discovery = Extract<PassAnswer, { status: 206 }>['body'];

function discovered(
  { opcodes, reached }: Discovery,
  rules: Rules,
): Pick<Decision, 'next' | 'attempt'> & Partial<Decision> {
  const { memo, nowMs, limits, attempt } = rules;
  const accepted = opcodes.filter(({ id }) => memo.accepts(id, nowMs));
  const effects: Effect[] = [];
  let { nextIndex } = memo;
  for (const opcode of accepted) {
    const known = memo.get(opcode.id);
    if (known === undefined && nextIndex >= limits.stepsPerRun) break;
    const numbers = { index: known?.index ?? nextIndex++, attempt: (known?.attempt ?? 0) + 1 };
    effects.push(execute(opcode, { ...rules, ...numbers }));
  }
  const isStray = reached === 0 && !memo.isEmpty;
  const repeats = isStray ? rules.repeats + 1 : 0;
  const error =
    effects.find(({ fatal }) => fatal !== undefined)?.fatal ??
    overCap(rules, effects) ??
    (effects.length < accepted.length ? tooManySteps(limits) : undefined) ??
    (repeats >= limits.passesAstray ? astray(limits) : undefined);
  if (error !== undefined) {
    // Steps that would continue end with the run, and have no side effects.
    const ended = effects.map(({ row, sideEffect }) =>
      row.status === 'waiting' ? { row: endedWithRun(row) } : { row: endedWithRun(row), sideEffect },
    );
    return { next: { kind: 'fails', error }, effects: ended, attempt };
  }
  if (effects.length === 0 && memo.pending(nowMs).length === 0)
    return handlerFailed({ error: { message: 'runner reported no step, and none is pending' } }, rules);
  return { next: nextAfter(effects.map(({ row }) => row)), effects, attempt, repeats };
}

/** A pass that settled a step continues at once. A pass that only parked steps cannot. */
export const nextAfter = (rows: readonly StepRow[]): Next => ({
  kind: rows.some(({ status, willRetry }) => status !== 'waiting' && !willRetry) ? 'goesOn' : 'parks',
});

function endedWithRun(row: StepRow): StepRow {
  if (row.status === 'waiting') return { ...row, status: 'cancelled', runAfterMs: undefined };
  return row.willRetry ? { ...row, willRetry: false, retryWithdrawn: true } : row;
}

/** 2.2 `cap`: the spend at the start of a pass decides about all of its AI steps. */
function overCap({ ai }: Rules, effects: readonly Effect[]): StepError | undefined {
  const reason = ai && effects.some(({ row }) => row.usage !== undefined) ? capReached(ai) : undefined;
  return reason === undefined ? undefined : { name: 'BudgetError', message: reason };
}

const tooManySteps = ({ stepsPerRun }: RunLimits): StepError => ({
  message: `the run has more than ${stepsPerRun} steps (MAX_STEPS_PER_RUN)`,
});

const astray = ({ passesAstray }: RunLimits): StepError => ({
  name: 'NonDeterminismError',
  message:
    `the handler reached none of its saved steps in ${passesAstray} passes in a row (MAX_PASSES_ASTRAY): ` +
    'its step ids must not vary between passes',
});
