import type { StepError } from '@holdfast/sdk/protocol';
import type { EngineContext } from '../../context.ts';
import type { SendEnding } from '../modelAnswer.ts';
import type { LeasedCall } from '../queue/leasedCall.ts';

/** What an outcome adds to the step's `ai` block. The ledger gives the rest. */
export interface StepAi {
  warnings?: readonly string[] | undefined;
  finishReason?: string | undefined;
  /** Absent: the call is not eligible for the cache. */
  cacheHit?: boolean | undefined;
}

/**
 * What follows for a call.
 * - `succeeded`: its step has this output (JSON text).
 * - `failed`: its step fails, for good, or to be retried as the workflow's `retry` says.
 * - `again`: it is sent again after a time. `failed`: this counts as a failure. `reask`: this
 *   counts as a reask, and the request is replaced.
 * - `held`: its lane is held, for `forMs` or else for 1 s doubling to 60 s; then it is sent again.
 */
export type CallOutcome =
  | { kind: 'succeeded'; output: string; ai: StepAi }
  | {
      kind: 'failed';
      error: StepError;
      ai: StepAi;
      mayRetry: boolean;
      /** What the lane and the key say about the refusal. */
      refusal?: string | undefined;
    }
  | { kind: 'again'; inMs: number; reask?: ReaskedRequest | undefined; failed?: true | undefined }
  | { kind: 'held'; forMs: number | undefined; reason: string };

/** A request that asks again: sealed, and its bytes in the clear. */
export interface ReaskedRequest {
  request: Buffer;
  requestBytes: number;
}

/** A send that ended. */
export interface EndedSend {
  number: number;
  ending: SendEnding;
  /** USD; undefined: unpriced. */
  cost: number | undefined;
  latencyMs: number;
}

export interface Settlement {
  processId: string;
  /** Undefined: nothing was sent. */
  send?: EndedSend | undefined;
  outcome: CallOutcome;
}

/**
 * - `settled`: the outcome is recorded.
 * - `late`: the call ended, or was claimed again; only the end of the send is recorded.
 * - `lost`: the same without a send.
 */
export type Settled = 'settled' | 'late' | 'lost';

/** Records the end of a send, and what follows for the call. */
export function settleCall(_ctx: EngineContext, _call: LeasedCall, _settlement: Settlement): Promise<Settled> {
  throw new Error('not written yet');
}
