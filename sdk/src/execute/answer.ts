import { NotJsonError, StepError } from '../errors.ts';
import { encodeJson } from '../json/encode.ts';
import { bodyLimitBytes, type HandlerError } from '../protocol.ts';
import { hashStepId } from '../stepId.ts';
import { continuation, continuationBytes } from './continuation.ts';
import { datedText, describeError, type Report, retryOf } from './opcodeText.ts';
import type { PassLog } from './passLog.ts';

/** The answer to a pass: a status of the protocol and its body, as JSON text of at most 1 MiB. */
export interface PassReply {
  readonly status: number;
  readonly body: string;
}

/**
 * The most bytes of log lines in an answer, and the bytes reserved for them however large the rest
 * is.
 */
const logBytes = { most: 256 * 1024, least: 8 * 1024 };
const envelopeBytes = 64;

export interface Discovered {
  readonly reports: readonly Report[];
  readonly asksAgain: boolean;
  readonly reached: number | undefined;
  /** The continuations that the run has had before. */
  readonly continuations: number;
  /** Whether the answer waited for bodies of steps, or for the handler's own work. */
  readonly hasWaited: boolean;
}

/** Answers with as many new steps as fit, in order, and hands back the others. */
export function discoveredReply(
  { reports, asksAgain, reached, continuations, hasWaited }: Discovered,
  log: PassLog,
): { reply: PassReply; rest: readonly Report[] } {
  let room = bodyLimitBytes - envelopeBytes - logBytes.least - continuationBytes;
  const misfit = reports.findIndex((report) => {
    room -= report.bytes + 1;
    return room < 0;
  });
  const sent = misfit < 0 ? reports : reports.slice(0, misfit);
  const rest = misfit < 0 ? [] : reports.slice(misfit);
  const isStuck = (asksAgain || rest.length > 0) && !sent.some((report) => report.isReady);
  const textOf = hasWaited ? datedText : ({ text }: Report): string => text;
  const opcodes = (isStuck ? [...sent, continuation(continuations)] : sent).map(textOf).join(',');
  const tally = reached === undefined ? '' : `,"reached":${reached}`;
  return { reply: withLogs(206, `"opcodes":[${opcodes}]${tally}`, log), rest };
}

export function resultReply(workflow: string, value: unknown, log: PassLog): PassReply {
  try {
    const data = encodeJson(value);
    const bytes = data === undefined ? 0 : Buffer.byteLength(data);
    const most = bodyLimitBytes - envelopeBytes - logBytes.least;
    if (bytes > most) throw new NotJsonError(`it has ${bytes} bytes; at most ${most} can be saved`);
    return withLogs(200, data === undefined ? '' : `"data":${data}`, log);
  } catch (cause) {
    if (!(cause instanceof NotJsonError)) return failureReply(cause, log);
    return failureReply(
      new NotJsonError(`the result of workflow "${workflow}" cannot be saved: ${cause.message}`),
      log,
    );
  }
}

export function failureReply(cause: unknown, log: PassLog): PassReply {
  const stepId = cause instanceof StepError ? hashStepId(cause.step) : null;
  const error: HandlerError = { ...describeError(cause), stepId };
  return withLogs(500, JSON.stringify({ error, ...retryOf(cause) }).slice(1, -1), log);
}

/** Refuses the request with a 4xx: the run fails at once with this reason. */
export function refusal(status: number, reason: string): PassReply {
  return { status, body: JSON.stringify({ error: reason }) };
}

function withLogs(status: number, members: string, log: PassLog): PassReply {
  const room = bodyLimitBytes - envelopeBytes - Buffer.byteLength(members);
  const logs = log.take(Math.min(room, logBytes.most));
  return { status, body: `{${members}${members === '' ? '' : ','}"logs":${logs}}` };
}
