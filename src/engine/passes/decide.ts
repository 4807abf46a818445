import { rootScope, type StepError } from '@holdfast/sdk/protocol';
import type { CappedSpend } from '../ai/index.ts';
import type { JsonDocument } from '../json/index.ts';
import type { ResolvedRetry } from '../model/index.ts';
import { retryDelayMs } from '../registry/index.ts';
import { waitError, withoutAddresses } from '../runs/index.ts';
import type { EngineSettings } from '../settings.ts';
import { aiCallsOf, overCap } from './aiCalls.ts';
import {
  type AiCall,
  isUndecided,
  type Next,
  type PassCommit,
  type Registered,
  type RetryReason,
  type StepRow,
  type WaitRow,
} from './commit.ts';
import type { Pass, Reply } from './pass.ts';
import { isLetThrough, type PassAnswer, readAnswer } from './readAnswer.ts';
import { readLogs } from './readLogs.ts';
import { readOpcodes } from './readOpcodes.ts';
import type { StepSideEffect } from './side-effects/sideEffect.ts';
import { type Fruitless, fruitful, isSpent, oneMoreUnanswered, transportDelayMs } from './transport.ts';

/** The commit that an answer leads to, and what belongs into its transaction. */
export interface Decision {
  commit: PassCommit;
  sideEffects: StepSideEffect[];
  /** AI steps of the commit, whose spend counts. */
  calls: AiCall[];
  /** The cap that applied to the answer, with the spend before it. */
  ai: CappedSpend | undefined;
}

/** The rules for an answer: the definition in force, and the spend so far. */
interface Rules {
  settings: EngineSettings;
  retry: ResolvedRetry;
  registered: Registered;
  ai: CappedSpend | undefined;
}

interface Turn {
  pass: Pass;
  rules: Rules;
}

/** Decides what an answer changes. Pure: it reads the pass and writes nothing. */
export function decide(pass: Pass, reply: Reply, rules: Rules): Decision {
  const turn = { pass, rules };
  switch (reply.kind) {
    case 'transport':
      return reply.socketLost && pass.unanswered === 0 ? resent(turn) : unanswered(turn, reply);
    case 'tooLarge':
      return handlerFailed(turn, because('runner answer exceeds 1 MiB'));
    case 'answer':
      return answered(turn, readAnswer(reply.status, reply.body, rules.settings.limits), Math.round(reply.elapsedMs));
  }
}

/** The commit that ends a run for a reason of the service. */
export const failedFor = (pass: Pass, message: string, registered: Registered): PassCommit =>
  commitOf(pass, failure({ message }), registered);

function answered(turn: Turn, answer: PassAnswer, elapsedMs: number): Decision {
  switch (answer.kind) {
    case 'complete': {
      const result = answer.data?.text;
      return finish(turn, { kind: 'finish', status: 'succeeded', result, error: undefined }, answer.document);
    }
    case 'steps':
      return discovered(turn, answer, elapsedMs);
    case 'handlerFailed':
      return handlerFailed(turn, answer);
    case 'rejected':
      return finish(turn, failure(answer.error), undefined);
    case 'unreadable':
      return unanswered(turn, answer);
  }
}

type HandlerFailure = Omit<Extract<PassAnswer, { kind: 'handlerFailed' }>, 'kind'>;

/** A failure that the service found in an answer. Another attempt may succeed. */
const because = (message: string, document?: JsonDocument): HandlerFailure => ({
  error: { message },
  stepId: undefined,
  retriable: true,
  retryAfterMs: undefined,
  document,
});

const failure = (error: StepError): Next => ({
  kind: 'finish',
  status: 'failed',
  result: undefined,
  error: JSON.stringify(error),
});

/** The parts of a commit that most answers leave empty. */
type Rest = Partial<Pick<PassCommit, 'steps' | 'waits' | 'logs' | 'attempt' | 'unanswered' | 'repeats'>>;

const commitOf = (pass: Pass, next: Next, registered: Registered, rest: Rest = {}): PassCommit => ({
  pass,
  next,
  steps: rest.steps ?? [],
  waits: rest.waits ?? [],
  logs: rest.logs ?? [],
  attempt: rest.attempt ?? pass.attempt,
  hasOnFailure: registered.hasOnFailure,
  hasEndpoints: registered.hasEndpoints,
  unanswered: rest.unanswered ?? fruitful.unanswered,
  repeats: rest.repeats ?? fruitful.repeats,
});

const decisionOf = (
  { pass, rules }: Turn,
  next: Next,
  rest: Rest = {},
  effects: Pick<Decision, 'sideEffects' | 'calls'> = { sideEffects: [], calls: [] },
): Decision => ({
  commit: commitOf(pass, next, rules.registered, rest),
  sideEffects: effects.sideEffects,
  calls: effects.calls,
  ai: rules.ai,
});

const finish = (turn: Turn, next: Next, document: JsonDocument | undefined): Decision =>
  decisionOf(turn, next, { logs: logsOf(turn.pass, document, []) });

/**
 * The pass is sent again after a delay, whatever settles meanwhile (4.10). Only the decision of an
 * open approval ends the delay early.
 */
const retry = ({ memo }: Pass, inMs: number, because: RetryReason): Next => ({
  kind: 'retry',
  inMs,
  because,
  yieldsToDecision: [...memo.open].some(isUndecided),
});

/** 4.10: the same pass is sent again. Such retries do not count as attempts. */
const sentAgain = ({ pass, rules }: Turn, count: Fruitless, because: RetryReason): Next =>
  retry(pass, transportDelayMs(rules.settings.transportBackoffMs, count), because);

interface Unanswered {
  reason: string;
  hasTimedOut?: boolean;
}

function unanswered(turn: Turn, { reason, hasTimedOut = false }: Unanswered): Decision {
  const count = oneMoreUnanswered(turn.pass, hasTimedOut);
  const message = withoutAddresses(reason);
  const next = isSpent(count)
    ? failure({ message: `runner did not answer: ${message}` })
    : sentAgain(turn, count, { kind: 'transport', error: { message } });
  return decisionOf(turn, next, count);
}

/** The count after one more pass that reached no saved step, and the error that ends the series. */
function astray({ pass, rules }: Turn): { count: Fruitless; error: StepError | undefined } {
  const { passesAstray } = rules.settings.limits;
  const count = { unanswered: 0, repeats: pass.repeats + 1 };
  if (count.repeats < passesAstray) return { count, error: undefined };
  const message =
    `the handler reached none of its saved steps in ${passesAstray} passes in a row (MAX_PASSES_ASTRAY): ` +
    'its step ids must not vary between passes';
  return { count, error: { name: 'NonDeterminismError', message } };
}

/** The answer holds only recorded steps. It changes nothing, as a duplicate result (7.3). */
function repeated(turn: Turn, logs: PassCommit['logs']): Decision {
  const { count, error } = astray(turn);
  const message = 'runner reported only steps that are recorded already, and none is pending';
  const next = error ? failure(error) : sentAgain(turn, count, { kind: 'retry', error: { message } });
  return decisionOf(turn, next, { logs, ...count });
}

/**
 * A lost socket is no failure of the handler. The first time, another runner gets the pass at once.
 * The loss is counted, so that the next claim does not take a second loss for the first.
 */
const resent = (turn: Turn): Decision => decisionOf(turn, { kind: 'keep' }, oneMoreUnanswered(turn.pass, false));

/**
 * The handler threw. The pass is retried as a whole. But if the error is that of a step that failed
 * for good, the run fails with that error.
 */
function handlerFailed(turn: Turn, thrown: HandlerFailure): Decision {
  const { pass, rules } = turn;
  const { error, retriable, retryAfterMs, document } = thrown;
  const logs = logsOf(pass, document, []);
  if (!retriable || isLetThrough(thrown, pass.memo.failures) || pass.attempt >= rules.retry.maxAttempts) {
    return decisionOf(turn, failure(error), { logs });
  }
  const because = { kind: 'retry', error: waitError(error) ?? { message: 'unknown' } } as const;
  const next = retry(pass, retryAfterMs ?? retryDelayMs(rules.retry, pass.attempt), because);
  return decisionOf(turn, next, { logs, attempt: pass.attempt + 1 });
}

type Discovery = Extract<PassAnswer, { kind: 'steps' }>;

function discovered(turn: Turn, { document, count, reached }: Discovery, elapsedMs: number): Decision {
  const { pass, rules } = turn;
  const { limits, allowPrivateTargets } = rules.settings;
  const targets = { allowPrivate: allowPrivateTargets };
  const found = readOpcodes(pass, document, { elapsedMs, retry: rules.retry, limits, targets });
  if ('refused' in found) return handlerFailed(turn, because(found.refused, document));
  const { effects } = found;
  const steps = effects.map((effect) => effect.step);
  const logs = logsOf(pass, document, steps);
  const calls = aiCallsOf(steps);
  const sideEffects = effects.flatMap((effect) => (effect.kind === 'sideEffect' ? [effect] : []));
  // A runner that does not tell which saved steps it reached is judged only by its repeats.
  const stray = reached === 0 && !pass.memo.isEmpty ? astray(turn) : undefined;
  const fatal = effects.find((effect) => effect.kind === 'fatal')?.error;
  const error = fatal ?? overCap(rules.ai, calls) ?? (found.isCut ? tooManySteps(rules) : stray?.error);
  if (error) {
    // The answer's steps are recorded. Steps that would continue end with the run, and have no side
    // effects.
    const completed = sideEffects.filter(({ step }) => step.status !== 'waiting');
    const rest = { steps: steps.map(endedWithRun), logs };
    return decisionOf(turn, failure(error), rest, { sideEffects: completed, calls });
  }
  const waits: WaitRow[] = effects.flatMap((effect) => (effect.kind === 'parked' && effect.wait ? [effect.wait] : []));
  if (effects.length === 0 && pass.memo.pending(pass.dbNow).length === 0) {
    // A duplicate result changes nothing (7.3).
    if (count > 0) return repeated(turn, logs);
    return handlerFailed(turn, because('runner reported no step, and none is pending', document));
  }
  const { unanswered, repeats } = stray?.count ?? fruitful;
  return decisionOf(turn, nextAfter(steps), { steps, waits, logs, unanswered, repeats }, { sideEffects, calls });
}

const tooManySteps = ({ settings }: Rules): StepError => ({
  message: `the run has more than ${settings.limits.stepsPerRun} steps (MAX_STEPS_PER_RUN)`,
});

/** A pass that settled a step continues at once. A pass that only parked steps cannot. */
export function nextAfter(steps: readonly StepRow[]): Next {
  const isSettled = (step: StepRow): boolean => step.status !== 'waiting' && !step.willRetry;
  return steps.some(isSettled) ? { kind: 'keep' } : { kind: 'park' };
}

/**
 * Ends an open step of the answer that ends the run: cancels its wait, or withdraws its retry. A
 * fork executes a step with a withdrawn retry again.
 */
function endedWithRun(step: StepRow): StepRow {
  if (step.status === 'waiting') return { ...step, status: 'cancelled', runAfter: undefined };
  return step.willRetry ? { ...step, willRetry: false, retryWithdrawn: true } : step;
}

/** A line of a step belongs to the attempt that this answer reports, else to the last one known. */
function logsOf(pass: Pass, document: JsonDocument | undefined, steps: readonly StepRow[]): PassCommit['logs'] {
  let attempts: Map<string, number> | undefined;
  const attemptOf = (name: string): number => {
    attempts ??= new Map([...pass.memo.steps, ...steps].map((step) => [step.name, step.attempt]));
    return attempts.get(name) ?? 1;
  };
  return readLogs(document, (scope) => (scope === rootScope ? pass.attempt : attemptOf(scope)));
}
