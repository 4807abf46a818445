/*
 * The payloads of frames (4.5) as JSON text. SQL statements build the same texts by
 * `sql/framePayloadSql.ts`.
 */
import type { LogLevel } from '@holdfast/sdk/protocol';
import type { Frame } from '../bus.ts';
import { isTerminal, type RunStatus, runStatuses, type StepStatus } from '../runs/index.ts';

interface StepAttempt {
  name: string;
  index: number;
  attempt: number;
  status: StepStatus;
  /** JSON text. */
  error: string | undefined;
  willRetry: boolean;
  elapsedMs: number;
}

/** The payload of a `step_status` frame. Statements add `nextAttemptAt`, as they know the clock. */
export function stepPayload({ name, index, attempt, status, error, willRetry, elapsedMs }: StepAttempt): string {
  const failed = error === undefined ? '' : `,"error":${error}`;
  const retry = willRetry ? ',"willRetry":true' : '';
  const isOpen = status === 'waiting' || status === 'running';
  const duration = isOpen ? '' : `,"durationMs":${status === 'skipped' ? 0 : elapsedMs}`;
  return `{"step":${JSON.stringify(name)},"index":${index},"attempt":${attempt},"status":"${status}"${failed}${duration}${retry}}`;
}

interface LogLine {
  level: LogLevel;
  message: string;
  /** JSON text. */
  fields: string | undefined;
  scope: string;
  attempt: number;
}

/** The payload of a `log` frame (2.6). */
export function logPayload({ level, message, fields, scope, attempt }: LogLine): string {
  const extra = fields === undefined ? '' : `,"fields":${fields}`;
  return `{"level":"${level}","message":${JSON.stringify(message)}${extra},"scope":${JSON.stringify(scope)},"attempt":${attempt}}`;
}

/** The payload of a `run_status` frame. `error`: JSON text. */
export const statusPayload = (status: RunStatus, error?: string): string =>
  error === undefined ? `{"status":"${status}"}` : `{"status":"${status}","error":${error}}`;

/** The status in a `run_status` frame; undefined for frames of other kinds. */
export function runStatusOf({ kind, payload }: Frame): RunStatus | undefined {
  if (kind !== 'run_status') return undefined;
  const value: unknown = JSON.parse(payload);
  const status = typeof value === 'object' && value !== null && 'status' in value ? value.status : undefined;
  return runStatuses.find((known) => known === status);
}

/** Whether this is the last frame of its run. */
export function endsRun(frame: Frame): boolean {
  const status = runStatusOf(frame);
  return status !== undefined && isTerminal(status);
}
