import { randomBytes } from 'node:crypto';
import type { InvokeContext } from '@holdfast/sdk/protocol';
import { allowanceOf } from '../ai/index.ts';
import type { Envelope } from '../model/index.ts';
import { tellAll } from './continueText.ts';
import type { Pass } from './pass.ts';

/** The JSON text of a pass's invoke request (4.10). Payloads are inserted as they are stored. */
export function invokeText(pass: Pass): string {
  tellAll(pass);
  const { input, memo, dbNow: now } = pass;
  const events = input.events === undefined ? '' : `,"events":${input.events}`;
  const { order } = memo;
  const steps = `"steps":${memo.text(now)}${order === undefined ? '' : `,"order":${order}`}`;
  return `{"event":${eventText(pass)}${events},${steps},"ctx":${JSON.stringify(contextOf(pass, now))}}`;
}

function eventText({ input }: Pass): string {
  const id = input.eventId === undefined ? '' : `"id":"${input.eventId}",`;
  const name = JSON.stringify(input.eventName);
  return `{${id}"name":${name},"data":${input.data},"ts":"${input.receivedAt.toISOString()}"${headersText(input.envelope)}}`;
}

/** The member of an event that shows the headers of its sender; empty if it has none. */
const headersText = ({ headers }: Envelope): string => (headers ? `,"headers":${JSON.stringify(headers)}` : '');

function contextOf(pass: Pass, now: Date): InvokeContext {
  const { input } = pass;
  return {
    runId: pass.runId,
    workflow: pass.workflow,
    attempt: pass.attempt,
    app: pass.app,
    runner: pass.runner,
    onFailure: input.onFailure ? true : undefined,
    error: input.onFailure?.error,
    traceparent: newTraceparent(input.envelope.traceparent),
    tags: input.tags,
    session: input.session,
    triggerKind: input.triggerKind,
    replayOf: input.replayOf,
    stepAttempts: pass.memo.nextAttempts(now),
    ai: pass.ai && allowanceOf(pass.ai),
  };
}

const pool = { bytes: Buffer.alloc(0), at: 0 };
const size = 24;

const traceIdLength = 32;

/**
 * A fresh W3C trace context for an invoke: version 00, sampled. It continues the trace of the
 * event's sender, if there is one, with the sender's decision about sampling.
 */
function newTraceparent(sender?: string): string {
  if (pool.at + size > pool.bytes.length) {
    pool.bytes = randomBytes(size * 256);
    pool.at = 0;
  }
  const hex = pool.bytes.toString('hex', pool.at, pool.at + size);
  pool.at += size;
  const spanId = hex.slice(traceIdLength);
  if (sender === undefined) return `00-${hex.slice(0, traceIdLength)}-${spanId}-01`;
  return `00-${sender.slice(3, 3 + traceIdLength)}-${spanId}-${sender.slice(-2)}`;
}
