import { asDeclared } from '../json/asDeclared.ts';
import type { InvokeContext, InvokeRequest } from '../protocol.ts';
import type { Memo } from './memo.ts';
import type { Run } from './run.ts';

/** The request of a pass, as a runner receives it (4.10). Each pass gets values of its own. */
export function requestOf(run: Run, memo: Memo, { nowMs, passNo }: { nowMs: number; passNo: number }): InvokeRequest {
  const { event, events } = run.start;
  return {
    event: { ...event, data: JSON.parse(event.data) },
    ...(events !== undefined && { events: asDeclared<InvokeRequest['events']>(structuredClone(events)) }),
    steps: memo.entries(nowMs),
    ctx: contextOf(run, memo, { nowMs, passNo }),
  };
}

function contextOf(run: Run, memo: Memo, { nowMs, passNo }: { nowMs: number; passNo: number }): InvokeContext {
  const { executes, start, attempt } = run;
  const { tags, session, triggerKind, onFailureOf } = start;
  const stepAttempts = memo.nextAttempts(nowMs);
  const ai = run.allowance;
  return {
    runId: run.id,
    workflow: executes.name,
    app: executes.app,
    attempt,
    runner: '',
    triggerKind,
    traceparent: traceparentOf(run.number, passNo),
    ...(tags !== undefined && { tags: { ...tags } }),
    ...(session !== undefined && { session }),
    ...(stepAttempts !== undefined && { stepAttempts }),
    ...(ai !== undefined && { ai }),
    ...(onFailureOf !== undefined && { onFailure: true, error: onFailureOf.error ?? { message: 'the run failed' } }),
  };
}

/** A trace of the run, with a span for each pass. */
const traceparentOf = (run: number, pass: number): string => `00-${hex(run, 32)}-${hex(pass, 16)}-01`;

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
