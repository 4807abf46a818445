/*
 * SQL: the payloads of frames (4.5), for statements that write rows and their frames together.
 * `framePayload.ts` builds the same in TypeScript.
 */
import { type RunStatus, stepDurationSql, type WaitKind } from '../../runs/index.ts';

const attemptFields = "'step', name, 'index', index, 'attempt', attempt, 'status', status";

/** An attempt that succeeded or was cancelled, of a row with the columns of `run_step`. */
export const stepPayloadSql = `json_build_object(${attemptFields},
          'durationMs', ${stepDurationSql})`;

const instantSql = (instant: string): string =>
  `to_char(${instant} at time zone 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** An attempt that ended in any way. The error is inserted as text, because it may hold nulls. */
export const endedStepPayloadSql = `(left(json_strip_nulls(json_build_object(${attemptFields},
          'durationMs', case when status = 'skipped' then 0 else ${stepDurationSql} end,
          'willRetry', case when will_retry then true end,
          'nextAttemptAt', case when will_retry then ${instantSql('run_after')} end))::text, -1) ||
          coalesce(',"error":' || error::text, '') || '}')::json`;

/** A `step_status` payload, completed by the instant of the step's retry. */
export const withNextAttemptSql = (payload: string, instant: string): string =>
  `(left(${payload}::text, -1) || ',"nextAttemptAt":"' ||
            ${instantSql(`(${instant})::timestamptz(3)`)} || '"}')::json`;

/** A wait as JSON, completed by the instant of its end. */
export const withUntilSql = (wait: string, instant: string): string =>
  `(left(${wait}::text, -1) || ',"until":"' || ${instantSql(`(${instant})::timestamptz(3)`)} || '"}')::json`;

/** The payload of a status with the reason why the run waits: JSON, or null. */
export const waitingPayloadSql = (status: string, wait: string): string =>
  `case when ${wait} is null then ${statusOfSql(status)}
          else json_build_object('status', ${status}, 'waitingFor', ${wait}) end`;

/** The same where the statement itself knows the reason. */
export const waitingForSql = (kind: WaitKind, until?: string): string =>
  until === undefined
    ? `'{"kind":"${kind}"}'::json`
    : `json_build_object('kind', '${kind}', 'until', ${instantSql(`(${until})::timestamptz(3)`)})`;

/** The payload of a status that is fixed in the statement. */
export const statusPayloadSql = (status: RunStatus): string => `'{"status":"${status}"}'`;

/** The payload of a status from a row or a parameter. */
export const statusOfSql = (status: string): string => `json_build_object('status', ${status})`;

/** The same of a run that has ended, with its error if it failed. */
export const endedPayloadSql = (status: string, error: string): string =>
  `case when ${error} is null then ${statusOfSql(status)}
          else json_build_object('status', ${status}, 'error', ${error}) end`;

/** A pause: its reason, and the caller who asked for it, if any. */
export const pausedPayloadSql = (reason: string, actor: string): string => `json_build_object('status', 'paused',
        'pausedBy', json_strip_nulls(json_build_object('reason', ${reason}, 'actor', ${actor})))`;

/** A warning of the service itself, in the journal of a run. */
export const warningPayloadSql = (message: string, fields: string, attempt: string): string =>
  `json_build_object('level', 'warn', 'message', ${message}, 'fields', ${fields}, 'scope', '@root',
          'attempt', ${attempt})`;
