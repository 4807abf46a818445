import type { LogRow, StepRow } from './commit.ts';

/**
 * The fields of a `step_status` frame (4.5), as JSON text. `nextAttemptAt` is added where the clock
 * is known.
 */
export function stepPayload(step: StepRow): string {
  const { name, index, attempt, status, error, willRetry, elapsedMs } = step;
  const failed = error === undefined ? '' : `,"error":${error}`;
  const retry = willRetry ? ',"willRetry":true' : '';
  const duration = status === 'waiting' ? '' : `,"durationMs":${status === 'skipped' ? 0 : elapsedMs}`;
  return `{"step":${JSON.stringify(name)},"index":${index},"attempt":${attempt},"status":"${status}"${failed}${duration}${retry}}`;
}

/** The fields of a `log` frame (2.6), as JSON text. */
export function logPayload({ level, message, fields, scope, attempt }: LogRow): string {
  const extra = fields === undefined ? '' : `,"fields":${fields}`;
  return `{"level":"${level}","message":${JSON.stringify(message)}${extra},"scope":${JSON.stringify(scope)},"attempt":${attempt}}`;
}

/** The fields of a `run_status` frame (4.5), as JSON text. `error`: JSON text. */
export const statusPayload = (status: string, error: string | undefined): string =>
  error === undefined ? `{"status":"${status}"}` : `{"status":"${status}","error":${error}}`;
