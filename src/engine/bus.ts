import { EventEmitter } from 'node:events';

export const frameKinds = ['run_status', 'step_status', 'log'] as const;

export type FrameKind = (typeof frameKinds)[number];

/**
 * An entry of a run's journal (4.5). `seq` counts 1..n per run, over all kinds and without gaps.
 */
export interface Frame {
  seq: number;
  kind: FrameKind;
  ts: Date;
  /** JSON text of the fields of its kind. */
  payload: string;
}

/** The run of a message, with the columns by which listeners filter. */
export interface RunRef {
  projectId: string;
  runId: string;
  app: string;
  workflow: string;
}

/** Hints between the parts of one process. Any hint may be lost: polling alone is correct. */
export interface BusEvents {
  /** Lanes with a run to claim. */
  'work.ready': { laneIds: readonly number[] };
  /** A parked run becomes due in this many ms. */
  'run.due': { inMs: number };
  /** Some duty of the scheduler becomes due in this many ms. */
  'work.due': { inMs: number };
  /** A run got new frames. They are in order and without gaps. */
  'run.frames': RunRef & { frames: readonly Frame[] };
  /**
   * Runs got new frames, which are only in the database. `goesOn`: none of the frames says that its
   * run has ended, or needs a decision.
   */
  'run.moved': { runs: readonly RunRef[]; goesOn?: boolean };
  'event.ingested': { projectId: string; eventId: string; app: string; name: string };
  /** A run was cancelled while a dispatcher may be executing it. */
  'run.cancelled': { runId: string; reason: string };
  /** A leased run must pause before its next step, whichever dispatcher holds the lease. */
  'run.pausing': { runId: string };
  'registry.changed': { projectId: string };
  /** A key was revoked. Its streams and sockets must close. */
  'key.revoked': { keyId: string };
  /** The process is stopping: waits for events end, and no new wait begins (`isStopping`). */
  'service.stopping': Record<string, never>;
  'approval.changed': { projectId: string; approvalId: string };
  /** Webhook deliveries wait to be attempted, beside those of the lifecycle. */
  'delivery.due': Record<string, never>;
  /** Model calls wait to be sent. */
  'inference.due': Record<string, never>;
  /** A delivery was attempted, or is to be attempted again. */
  'delivery.changed': { projectId: string; deliveryId: string };
}

export type BusEvent = keyof BusEvents;

/** The key of a message, for listeners that follow one of many runs. */
const keyOf: { [E in BusEvent]?: (payload: BusEvents[E]) => string } = {
  'run.cancelled': (payload) => payload.runId,
};

export class Bus {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  #isStopping = false;

  /** Whether `service.stopping` was emitted. Requests may still arrive afterwards. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  emit<E extends BusEvent>(event: E, payload: BusEvents[E]): void {
    if (event === 'service.stopping') this.#isStopping = true;
    this.#emitter.emit(event, payload);
    const key = keyOf[event];
    if (key) this.#emitter.emit(`${event} ${key(payload)}`, payload);
  }

  /**
   * Listens until the returned function is called. A key (a run id) limits the listener to that
   * run.
   */
  on<E extends BusEvent>(event: E, listener: (payload: BusEvents[E]) => void, key?: string): () => void {
    const name = key === undefined ? event : `${event} ${key}`;
    this.#emitter.on(name, listener);
    return () => this.#emitter.off(name, listener);
  }
}
