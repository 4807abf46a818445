import type { CallRef, LeasedCall } from '../../engine/inference/index.ts';

/**
 * How far a call is. `preparing`: nothing was sent, so it may go back as it is. `sending`: its
 * request may have left. `settling`: its end is known and must be recorded.
 */
export type CallPhase = 'preparing' | 'sending' | 'settling';

/** A call that this process executes. */
export class HeldCall {
  call: LeasedCall;
  /** The process under whose name it was leased. */
  processId: string;
  phase: CallPhase = 'preparing';
  /** Whether another process is to go on with it. */
  isHandedOn = false;
  readonly #abort = new AbortController();

  constructor(call: LeasedCall, processId: string) {
    this.call = call;
    this.processId = processId;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Ends its request at once. */
  abort(): void {
    this.#abort.abort();
  }
}

const nameOf = ({ runId, stepIndex }: Pick<CallRef, 'runId' | 'stepIndex'>): string => `${runId}/${stepIndex}`;

/** The calls of this process. */
export class HeldCalls {
  readonly #held = new Map<string, HeldCall>();
  /** How many of them each run has. */
  readonly #runs = new Map<string, number>();

  get size(): number {
    return this.#held.size;
  }

  get all(): HeldCall[] {
    return [...this.#held.values()];
  }

  /** Calls by their present lease. */
  get refs(): CallRef[] {
    return this.all.map(({ call: { runId, stepIndex, claimNo } }) => ({ runId, stepIndex, claimNo }));
  }

  find(ref: CallRef): HeldCall | undefined {
    const held = this.#held.get(nameOf(ref));
    return held?.call.claimNo === ref.claimNo ? held : undefined;
  }

  hasRun(runId: string): boolean {
    return this.#runs.has(runId);
  }

  /**
   * Takes a claimed call. Undefined: its request is under way already, under a lease that ran out
   * meanwhile. It goes on under the new lease, so that the call is not sent twice.
   */
  take(call: LeasedCall, processId: string): HeldCall | undefined {
    const known = this.#held.get(nameOf(call));
    if (known && known.phase !== 'preparing' && known.call.attempt === call.attempt) {
      known.call = call;
      known.processId = processId;
      return undefined;
    }
    known?.abort();
    const held = new HeldCall(call, processId);
    if (!known) this.#runs.set(call.runId, (this.#runs.get(call.runId) ?? 0) + 1);
    this.#held.set(nameOf(call), held);
    return held;
  }

  drop(held: HeldCall): void {
    const { runId } = held.call;
    if (this.#held.get(nameOf(held.call)) !== held) return;
    this.#held.delete(nameOf(held.call));
    const left = (this.#runs.get(runId) ?? 1) - 1;
    if (left > 0) this.#runs.set(runId, left);
    else this.#runs.delete(runId);
  }
}
