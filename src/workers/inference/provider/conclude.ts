import type { ModelAnswer, SendEnding } from '../../../engine/inference/index.ts';
import { refusalOf, streamFailureOf } from './classify.ts';
import { errorText, type Hidden, shown, shownRequestId, shownWarnings } from './errorText.ts';
import type { Exchange } from './exchange.ts';
import type { StopReason } from './limits.ts';
import { networkReason } from './networkReason.ts';
import { type ProviderError, readError, type WireWatch } from './wireWatch.ts';

/** What came of reading an answer: the answer, or why there is none. */
export interface Reading {
  answer?: ModelAnswer;
  error?: unknown;
}

export interface SendFacts {
  hidden: Hidden;
  exchange: Exchange;
  watch: WireWatch;
  errorBody: string | undefined;
  reading: Reading;
  warnings: readonly string[];
  now: Date;
}

const stopTexts: Readonly<Record<StopReason, string>> = {
  aborted: 'the call was ended before its answer',
  connect: 'the connection took too long',
  idle: 'the provider sent nothing for too long',
  timeout: 'the call took too long',
  size: 'the answer is too large',
};

/** How a send ended, by what is known of it. */
export function conclude(facts: SendFacts): SendEnding {
  const { exchange, watch, reading } = facts;
  const { status } = exchange;
  if (status === undefined) return withoutAnswer(facts);
  if (status < 200 || status > 299) return refusedByStatus(facts, status);
  if (exchange.stopReason && !watch.isComplete) return unknown(facts, stopTexts[exchange.stopReason]);
  if (watch.error) return failedInside(facts, watch.error);
  if (exchange.failure && !watch.isComplete) return unknown(facts, networkReason(exchange.failure));
  if (reading.answer && watch.isFinished) return answered(facts, reading.answer, status);
  return unknown(
    facts,
    watch.hasOutput || hasUsage(watch) ? 'the answer was cut off' : 'the answer is empty or unreadable',
  );
}

const hasUsage = ({ usage }: WireWatch): boolean => Object.keys(usage).length > 0;

/** No header of an answer came. Without a byte sent, nothing can have been executed. */
function withoutAnswer(facts: SendFacts): SendEnding {
  const { exchange, reading, hidden } = facts;
  const { stopReason, failure, wasSent } = exchange;
  if (stopReason === 'aborted' || wasSent) {
    return unknown(facts, stopReason ? stopTexts[stopReason] : networkReason(failure));
  }
  if (stopReason || failure) {
    const message = stopReason ? stopTexts[stopReason] : networkReason(failure);
    return { outcome: 'refused', refusal: { kind: 'transient' }, message };
  }
  return { outcome: 'refused', refusal: { kind: 'final' }, message: shown(composingReason(reading.error), hidden) };
}

/** Errors of composing a request whose messages hold no more than the name of a feature. */
const composing: ReadonlySet<string> = new Set(['AI_UnsupportedFunctionalityError', 'UnusableRequest']);

/** Other messages may quote the request, or the key. */
function composingReason(error: unknown): string {
  if (error instanceof Error && composing.has(error.name)) return error.message;
  return 'the request cannot be composed for this provider';
}

function refusedByStatus(facts: SendFacts, status: number): SendEnding {
  const { exchange, hidden, errorBody, now } = facts;
  const error = readErrorBody(errorBody ?? '');
  return {
    outcome: 'refused',
    refusal: refusalOf(status, exchange.headers, error, now),
    ...about(facts),
    message: errorText({ ...error, status }, hidden),
  };
}

/** The error of a body. A body that is no JSON is not quoted in full: it may be a page. */
function readErrorBody(text: string): ProviderError {
  try {
    return readError(JSON.parse(text)) ?? {};
  } catch {
    return { message: text.replace(/<[^<>]*>/g, ' ') };
  }
}

/** The provider's error inside an answer that began as a success. */
function failedInside(facts: SendFacts, error: ProviderError): SendEnding {
  const { watch, hidden } = facts;
  const failure = streamFailureOf(error, watch.hasOutput);
  const message = errorText(error, hidden) || 'the provider reported an error';
  if (failure === 'unknown') return unknown(facts, message);
  return { outcome: 'refused', refusal: failure, ...about(facts), message };
}

function answered(facts: SendFacts, answer: ModelAnswer, status: number): SendEnding {
  const { watch, hidden, warnings } = facts;
  return {
    outcome: 'answered',
    answer,
    usage: watch.usage,
    ...about(facts),
    status,
    warnings: shownWarnings(warnings, hidden),
  };
}

function unknown(facts: SendFacts, message: string): SendEnding {
  const { exchange, watch } = facts;
  const isFinal = exchange.stopReason === 'size';
  return { outcome: 'unknown', usage: watch.usage, ...about(facts), message, ...(isFinal ? { isFinal } : {}) };
}

function about({ exchange, hidden }: SendFacts): { status?: number; requestId?: string } {
  const { status, headers } = exchange;
  const requestId = shownRequestId(headers['request-id'] ?? headers['x-request-id'], hidden);
  return { ...(status === undefined ? {} : { status }), ...(requestId === undefined ? {} : { requestId }) };
}
