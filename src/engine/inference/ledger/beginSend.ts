import type { EngineContext } from '../../context.ts';
import type { LeasedCall } from '../queue/leasedCall.ts';
import type { Price } from '../request/inferRequest.ts';

export interface SendQuestion {
  processId: string;
  /** The price of the model, for the reservation; undefined: unpriced. */
  price: Price | undefined;
}

/**
 * - `send`: the send is in the ledger; the request may leave now.
 * - `waits`: the lane is held, or other calls of the run may reach its cap. The call is freed.
 * - `paused`: the run is paused, or about to be. The call is freed.
 * - `halted`: the cap of the run is reached. The run has failed.
 * - `lost`: the call ended, or is not leased under this claim any more.
 */
export type SendStart =
  | { kind: 'send'; number: number; idempotencyKey: string; startedAt: Date }
  | { kind: 'waits' | 'paused' | 'halted' | 'lost' };

/** Records a send before its first byte leaves. */
export function beginSend(_ctx: EngineContext, _call: LeasedCall, _question: SendQuestion): Promise<SendStart> {
  throw new Error('not written yet');
}
