import { rootScope, type StepError } from '@holdfast/sdk/protocol';
import type { JsonDocument } from '../json/index.ts';
import type { ResolvedRetry } from '../model/index.ts';
import { retryDelayMs } from '../registry/index.ts';
import type { EngineSettings } from '../settings.ts';
import { aiCallsOf, overCap } from './aiCalls.ts';
import type { AiCall, Next, PassCommit, StepRow, WaitRow } from './commit.ts';
import type { StepDeed } from './deeds/deed.ts';
import { isLetThrough } from './letThrough.ts';
import type { Pass, Reply } from './pass.ts';
import { type PassAnswer, readAnswer } from './readAnswer.ts';
import { readLogs } from './readLogs.ts';
import { readOpcodes } from './readOpcodes.ts';
import { countInVain, type InVain, isSpent, transportDelayMs } from './transport.ts';

/** What an answer comes to: the commit to write, with what must happen in the same transaction. */
export interface Decision {
  commit: PassCommit;
  deeds: StepDeed[];
  /** AI steps among those of the commit, whose spend counts. */
  calls: AiCall[];
}

interface Rules {
  settings: EngineSettings;
  retry: ResolvedRetry;
}

/** Decides what an answer changes. Pure: reads the pass, writes nothing. */
export function decide(pass: Pass, reply: Reply, rules: Rules): Decision {
  switch (reply.kind) {
    case 'transport':
      return reply.socketLost && pass.transportFailures <= 0 ? resent(pass) : inVain(pass, 'silence', rules.settings);
    case 'tooLarge':
      return handlerFailed(pass, because('runner answer exceeds 1 MiB'), rules);
    case 'answer':
      return answered(
        pass,
        readAnswer(reply.status, reply.body, rules.settings.limits),
        Math.round(reply.elapsedMs),
        rules,
      );
  }
}

function answered(pass: Pass, answer: PassAnswer, elapsedMs: number, rules: Rules): Decision {
  switch (answer.kind) {
    case 'complete': {
      const result = answer.data?.text;
      return finish(pass, { kind: 'finish', status: 'succeeded', result, error: undefined }, answer.document);
    }
    case 'steps':
      return discovered(pass, answer, elapsedMs, rules);
    case 'handlerFailed':
      return handlerFailed(pass, answer, rules);
    case 'rejected':
      return finish(pass, failure(answer.error), undefined);
    case 'unreadable':
      return inVain(pass, 'silence', rules.settings);
  }
}

type HandlerFailure = Omit<Extract<PassAnswer, { kind: 'handlerFailed' }>, 'kind'>;

/** A failure that the service found in an answer; another attempt may do better. */
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

function commitOf(pass: Pass, next: Next, rest: Partial<PassCommit> = {}): PassCommit {
  return { pass, next, steps: [], waits: [], logs: [], attempt: pass.attempt, transportFailures: 0, ...rest };
}

const onlyRecorded = (commit: PassCommit): Decision => ({ commit, deeds: [], calls: [] });

function finish(pass: Pass, next: Next, document: JsonDocument | undefined): Decision {
  return onlyRecorded(commitOf(pass, next, { logs: logsOf(pass, document, []) }));
}

const reasons: Record<InVain, string> = {
  silence: 'runner did not answer',
  repeat: 'runner reported only steps that are recorded already, and none is pending',
};

/**
 * 4.10: the same pass is sent again. A budget apart from attempts, reset by any answer that brings
 * something.
 */
function inVain(pass: Pass, kind: InVain, settings: EngineSettings, logs: PassCommit['logs'] = []): Decision {
  const transportFailures = countInVain(kind, pass.transportFailures);
  const next: Next = isSpent(transportFailures)
    ? failure({ message: reasons[kind] })
    : { kind: 'retry', inMs: transportDelayMs(settings.transportBackoffMs, transportFailures) };
  return onlyRecorded(commitOf(pass, next, { logs, transportFailures }));
}

/**
 * A lost socket says nothing about the handler: the first time, another runner gets the pass at
 * once. It is counted all the same, for where no other is there the next to claim the run would
 * take a second loss for the first.
 */
const resent = (pass: Pass): Decision =>
  onlyRecorded(commitOf(pass, { kind: 'keep' }, { transportFailures: countInVain('silence', pass.transportFailures) }));

/**
 * The handler threw. The pass is retried as a whole, unless a step failed for good and the handler
 * let it through: then the run fails with that error.
 */
function handlerFailed(pass: Pass, thrown: HandlerFailure, rules: Rules): Decision {
  const { error, retriable, retryAfterMs, document } = thrown;
  const logs = logsOf(pass, document, []);
  if (!retriable || isLetThrough(thrown, pass.memo.failures) || pass.attempt >= rules.retry.maxAttempts) {
    return onlyRecorded(commitOf(pass, failure(error), { logs }));
  }
  const next: Next = { kind: 'retry', inMs: retryAfterMs ?? retryDelayMs(rules.retry, pass.attempt) };
  return onlyRecorded(commitOf(pass, next, { logs, attempt: pass.attempt + 1 }));
}

type Discovery = Extract<PassAnswer, { kind: 'steps' }>;

function discovered(pass: Pass, { document, count }: Discovery, elapsedMs: number, rules: Rules): Decision {
  const found = readOpcodes(pass, document, { elapsedMs, retry: rules.retry, limits: rules.settings.limits });
  if ('refused' in found) return handlerFailed(pass, because(found.refused, document), rules);
  const { effects } = found;
  const steps = effects.map((effect) => effect.step);
  const logs = logsOf(pass, document, steps);
  const calls = aiCallsOf(steps);
  const error = effects.find((effect) => effect.kind === 'fatal')?.error ?? overCap(pass.ai, calls);
  if (error) {
    // All that the answer holds is recorded. What is over at once is done; what would go on never
    // begins.
    const over = steps.map(abandoned);
    const done = effects.flatMap((effect) =>
      effect.kind === 'deed' && effect.step.status !== 'waiting' ? [effect] : [],
    );
    return { commit: commitOf(pass, failure(error), { steps: over, logs }), deeds: done, calls };
  }
  const waits: WaitRow[] = effects.flatMap((effect) => (effect.kind === 'parked' && effect.wait ? [effect.wait] : []));
  const deeds = effects.flatMap((effect) => (effect.kind === 'deed' ? [effect] : []));
  if (effects.length === 0 && pass.memo.pending(pass.dbNow).length === 0) {
    // A duplicate result changes nothing (7.3).
    if (count > 0) return inVain(pass, 'repeat', rules.settings, logs);
    return handlerFailed(pass, because('runner reported no step, and none is pending', document), rules);
  }
  return { commit: commitOf(pass, nextAfter(steps), { steps, waits, logs }), deeds, calls };
}

/** A pass that settled a step can go on at once; one that only parked steps cannot. */
export function nextAfter(steps: readonly StepRow[]): Next {
  const isSettled = (step: StepRow): boolean => step.status !== 'waiting' && !step.willRetry;
  return steps.some(isSettled) ? { kind: 'keep' } : { kind: 'park' };
}

/**
 * The run ends in the pass that discovered this step: what would wait is cancelled, nothing is
 * retried. A failure that had attempts left keeps the time of the next, as `closed` does: a fork
 * executes it anew.
 */
function abandoned(step: StepRow): StepRow {
  if (step.status === 'waiting') return { ...step, status: 'cancelled', runAfter: undefined };
  return step.willRetry ? { ...step, willRetry: false } : step;
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
