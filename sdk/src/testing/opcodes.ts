import type {
  ApprovalOpcode,
  EmitOpcode,
  InferOpcode,
  Opcode,
  RunWorkflowOpcode,
  ScoreOpcode,
  StepError,
  StepRunOpcode,
  WaitForEventOpcode,
  WebhookOpcode,
} from '../protocol.ts';
import type { StepRow } from './memo.ts';
import { type ResolvedRetry, requestedDelayMs, resolvedRetry, retryDelayMs } from './retry.ts';

/** A change outside the run that a step causes. */
export type SideEffect =
  | WaitForEventOpcode
  | EmitOpcode
  | RunWorkflowOpcode
  | WebhookOpcode
  | ApprovalOpcode
  | InferOpcode
  | ScoreOpcode;

/** What an opcode does: the row of its step, and perhaps more. */
export interface Effect {
  readonly row: StepRow;
  readonly sideEffect?: SideEffect | undefined;
  /** The run fails with this error. */
  readonly fatal?: StepError | undefined;
}

export interface OpcodeSetting {
  readonly index: number;
  readonly attempt: number;
  readonly nowMs: number;
  readonly retry: ResolvedRetry;
  /** Why a guard cannot be used; undefined if it can. */
  guardFault(source: string): string | undefined;
}

/** The longest sleep or wait of a step: about a hundred years. */
const maxWaitMs = 100 * 365 * 86_400_000;
const latestMs = Date.UTC(9999, 11, 31);
const isEpochMs = (ms: number): boolean => Number.isFinite(ms) && Math.abs(ms) <= latestMs;
const epochMsLimit = 'must be milliseconds since the epoch, at most those of the year 9999';

/** Executes one opcode as the service does (4.10). */
export function execute(opcode: Opcode, setting: OpcodeSetting): Effect {
  switch (opcode.op) {
    case 'StepRun':
      return stepRun(opcode, setting);
    case 'Sleep':
      if (!isWait(opcode.sleepMs)) return failed(opcode, setting, `sleepMs must be a number from 0 to ${maxWaitMs}`);
      return parked(opcode, setting, setting.nowMs + opcode.sleepMs, { sleepMs: opcode.sleepMs });
    case 'SleepUntil':
      if (!isEpochMs(opcode.sleepUntilMs)) return failed(opcode, setting, `sleepUntilMs ${epochMsLimit}`);
      return parked(opcode, setting, Math.max(opcode.sleepUntilMs, 0), { sleepUntilMs: opcode.sleepUntilMs });
    case 'WaitForEvent':
      return waitForEvent(opcode, setting);
    case 'RunWorkflow':
      return { row: rowOf(opcode, setting, { status: 'waiting', input: childInput(opcode) }), sideEffect: opcode };
    case 'Emit':
      return recorded(opcode, setting, opcode.data);
    case 'Webhook':
      return webhook(opcode, setting);
    case 'Approval':
      return approval(opcode, setting);
    case 'Infer': {
      const input = JSON.stringify({ model: opcode.data.model, offloaded: true });
      return { row: rowOf(opcode, setting, { status: 'waiting', input }), sideEffect: opcode };
    }
    case 'Score':
      return score(opcode, setting);
  }
}

/** A row with what is common to all. */
function rowOf(
  { op, id, name }: Opcode,
  { index, attempt, nowMs }: OpcodeSetting,
  row: Pick<StepRow, 'status'> & Partial<StepRow>,
): StepRow {
  return {
    ...{ stepId: id, name, op, index, attempt, willRetry: false, retryWithdrawn: false, startedMs: nowMs },
    ...row,
  };
}

/** A step that fails for good without an execution. The handler may catch the error. */
const failed = (opcode: Opcode, setting: OpcodeSetting, message: string): Effect => ({
  row: rowOf(opcode, setting, { status: 'failed', error: { message } }),
});

const parked = (opcode: Opcode, setting: OpcodeSetting, runAfterMs: number, shown: object): Effect => ({
  row: rowOf(opcode, setting, { status: 'waiting', runAfterMs, input: JSON.stringify(shown) }),
});

const recorded = (opcode: SideEffect, setting: OpcodeSetting, input: unknown): Effect => ({
  row: rowOf(opcode, setting, { status: 'succeeded', input: textOf(input) }),
  sideEffect: opcode,
});

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));

const isWait = (ms: unknown): boolean => typeof ms === 'number' && ms >= 0 && ms <= maxWaitMs;

function stepRun(opcode: StepRunOpcode, setting: OpcodeSetting): Effect {
  const { data, error, skipped, usage } = opcode;
  const common = { input: textOf(opcode.input), ai: textOf(opcode.ai), usage };
  if (error !== undefined) return failure(opcode, setting, { ...common, error });
  if (skipped === true) return { row: rowOf(opcode, setting, { ...common, status: 'skipped', output: textOf(data) }) };
  return { row: rowOf(opcode, setting, { ...common, status: 'succeeded', output: textOf(data) ?? 'null' }) };
}

/**
 * 2.2 retry: each step has the whole budget. `retriable: false` ends the run, a spent budget only
 * the step.
 */
function failure(
  opcode: StepRunOpcode,
  setting: OpcodeSetting,
  { error, ...common }: Partial<StepRow> & { error: StepError },
): Effect {
  const row = { ...common, error, status: 'failed' } as const;
  if (opcode.retriable === false) return { row: rowOf(opcode, setting, row), fatal: error };
  const retry = resolvedRetry(opcode.retry, setting.retry);
  if (setting.attempt >= retry.maxAttempts) return { row: rowOf(opcode, setting, row) };
  const inMs = requestedDelayMs(opcode.retryAfterMs) ?? retryDelayMs(retry, setting.attempt);
  return { row: rowOf(opcode, setting, { ...row, willRetry: true, runAfterMs: setting.nowMs + inMs }) };
}

function waitForEvent(opcode: WaitForEventOpcode, setting: OpcodeSetting): Effect {
  const { eventName, timeoutMs, eventIf, sinceMs } = opcode;
  if (timeoutMs !== undefined && !isWait(timeoutMs))
    return failed(opcode, setting, `timeoutMs must be a number from 0 to ${maxWaitMs}`);
  if (sinceMs !== undefined && !isEpochMs(sinceMs)) return failed(opcode, setting, `sinceMs ${epochMsLimit}`);
  const since = sinceMs === undefined ? undefined : new Date(Math.max(sinceMs, 0));
  const guard = eventIf === '' ? undefined : eventIf;
  const fault = guard === undefined ? undefined : setting.guardFault(guard);
  if (fault !== undefined) return failed(opcode, setting, `eventIf: ${fault}`);
  const row = {
    ...({ status: 'waiting', eventName, eventIf: guard } as const),
    runAfterMs: timeoutMs === undefined ? undefined : setting.nowMs + timeoutMs,
    input: JSON.stringify({ event: eventName, since, timeoutMs, if: guard }),
  };
  return { row: rowOf(opcode, setting, row), ...(since !== undefined && { sideEffect: opcode }) };
}

const childInput = ({
  childName: name,
  childApp: app,
  childRunner: runner,
  childData: data,
}: RunWorkflowOpcode): string => JSON.stringify({ name, app, runner, data });

function webhook(opcode: WebhookOpcode, setting: OpcodeSetting): Effect {
  const { webhookUrl, data } = opcode;
  const url = URL.canParse(webhookUrl) ? new URL(webhookUrl) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    return failed(opcode, setting, 'webhookUrl must be an http or https URL');
  if (url.username !== '' || url.password !== '')
    return failed(opcode, setting, 'webhookUrl must not contain credentials');
  return recorded(opcode, setting, data);
}

function approval(opcode: ApprovalOpcode, setting: OpcodeSetting): Effect {
  if (opcode.timeoutMs !== undefined && !isWait(opcode.timeoutMs))
    return failed(opcode, setting, `timeoutMs must be a number from 0 to ${maxWaitMs}`);
  return { row: rowOf(opcode, setting, { status: 'waiting', input: textOf(opcode.data) }), sideEffect: opcode };
}

function score(opcode: ScoreOpcode, setting: OpcodeSetting): Effect {
  const { data } = opcode;
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    return failed(opcode, setting, 'a score must be an object with a name and a value');
  const { name, value }: { name?: unknown; value?: unknown } = data;
  if (typeof name !== 'string' || name === '') return failed(opcode, setting, 'a score needs a name');
  if (!['number', 'boolean', 'string'].includes(typeof value))
    return failed(opcode, setting, 'the value of a score must be a number, a boolean or a string');
  return recorded(opcode, setting, data);
}
