import {
  BudgetError,
  MaxTurnsError,
  NestedStepError,
  NonDeterminismError,
  NonRetriableError,
  NotJsonError,
  RetryAfterError,
} from '../errors.ts';
import { isError } from '../isError.ts';
import { encodeJson } from '../json/encode.ts';
import { MisuseError } from '../misuse.ts';
import type { InferOpcode, Opcode, OpcodeKind, SleepOpcode, StepError, StepRunOpcode } from '../protocol.ts';
import { bodyLimitBytes } from '../protocol.ts';
import { userStack } from './userStack.ts';

/** A step's outcome in a pass: its opcode as text. */
export interface Report {
  readonly kind: OpcodeKind;
  readonly id: string;
  /** The name that the handler gave the step. */
  readonly name: string;
  readonly text: string;
  readonly bytes: number;
  /** The step is settled, so the service asks again at once. Otherwise the step waits. */
  readonly isReady: boolean;
  /** When the handler called the sleep, by `performance.now()`. */
  readonly calledAt?: number | undefined;
}

/** An answer holds at least one opcode, its envelope, and some log lines. */
export const opcodeLimitBytes = bodyLimitBytes - 32 * 1024;

/** The opcode of a step is too large. */
export class OversizeError extends NotJsonError {
  /** The bytes of its result alone. */
  readonly dataBytes: number;

  constructor(step: string, bytes: number, dataBytes: number) {
    super(`step "${step}" has ${bytes} bytes; at most ${opcodeLimitBytes} can be saved`);
    this.dataBytes = dataBytes;
  }
}

const errorTextLimit = 16_384;

/** Writes an opcode. Throws for `payloads` of the user that JSON cannot carry, naming the field. */
export function report<Op extends Opcode | Omit<InferOpcode, 'data'>>(
  opcode: Op,
  isReady: boolean,
  payloads: { data?: unknown; input?: unknown; childData?: unknown } = {},
): Report {
  let text = JSON.stringify(opcode).slice(0, -1);
  let data = '';
  for (const [field, value] of Object.entries(payloads)) {
    const encoded = encode(opcode.name, field, value);
    if (encoded !== undefined) text += `,"${field}":${encoded}`;
    if (field === 'data') data = encoded ?? '';
  }
  text += '}';
  const bytes = Buffer.byteLength(text);
  if (bytes > opcodeLimitBytes) throw new OversizeError(opcode.name, bytes, Buffer.byteLength(data));
  return { kind: opcode.op, id: opcode.id, name: opcode.name, text, bytes, isReady };
}

/** Reports a sleep that the handler calls now. */
export function sleepReport(opcode: SleepOpcode): Report {
  const { bytes, ...made } = report(opcode, false);
  return { ...made, bytes: bytes + agoBytes, calledAt: performance.now() };
}

/** The opcode of a report. A sleep tells how long ago the handler called it. */
export function datedText({ text, calledAt }: Report): string {
  const agoMs = calledAt === undefined ? 0 : Math.floor(performance.now() - calledAt);
  return agoMs > 0 ? `${text.slice(0, -1)},"agoMs":${agoMs}}` : text;
}

/** The most bytes that `datedText` adds. */
const agoBytes = 24;

function encode(step: string, field: string, value: unknown): string | undefined {
  try {
    return encodeJson(value);
  } catch (cause) {
    if (!(cause instanceof NotJsonError)) throw cause;
    throw new NotJsonError(
      `the ${field === 'childData' ? 'data' : field} of step "${step}" cannot be saved: ${cause.message}`,
    );
  }
}

/**
 * Reports a step that threw, of any kind. `more` is its retry policy, and an AI step's usage up to
 * then.
 */
export function reportFailure(
  name: string,
  id: string,
  cause: unknown,
  more: Pick<StepRunOpcode, 'ai' | 'usage' | 'retry' | 'retryAfterMs'> = {},
): Report {
  return report({ op: 'StepRun', id, name, error: describeError(cause), ...retryOf(cause), ...more }, false);
}

/** The retry instructions in an error that a step or the handler threw. */
export function retryOf(cause: unknown): { retryAfterMs?: number; retriable?: false } {
  if (cause instanceof RetryAfterError) return { retryAfterMs: Math.round(cause.retryAfterMs) };
  return isFinal(cause) ? { retriable: false } : {};
}

const finalErrors = [
  NonRetriableError,
  BudgetError,
  MaxTurnsError,
  NestedStepError,
  NonDeterminismError,
  NotJsonError,
  MisuseError,
];

function isFinal(cause: unknown): boolean {
  return finalErrors.some((kind) => cause instanceof kind);
}

/** The wire form of any thrown value. */
export function describeError(cause: unknown): StepError {
  if (!isError(cause)) return { name: 'Error', message: clip(describeThrown(cause)) };
  return { name: clip(String(cause.name)), message: clip(String(cause.message)), stack: clip(stackOf(cause, 0)) };
}

function stackOf(error: Error, depth: number): string {
  const own = userStack(error);
  return isError(error.cause) && depth < 5 ? `${own}\nCaused by: ${stackOf(error.cause, depth + 1)}` : own;
}

function describeThrown(cause: unknown): string {
  if (typeof cause === 'string') return cause;
  try {
    return `a thrown ${typeof cause}: ${encodeJson(cause) ?? 'undefined'}`;
  } catch {
    return `a thrown ${typeof cause}`;
  }
}

function clip(text: string): string {
  return text.length > errorTextLimit ? `${text.slice(0, errorTextLimit)}…` : text;
}
