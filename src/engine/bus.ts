import { EventEmitter } from 'node:events';

export const frameKinds = ['run_status', 'step_status', 'log'] as const;

export type FrameKind = (typeof frameKinds)[number];

/** An entry of a run's journal (4.5). `seq` counts 1..n per run without gaps, over all kinds. */
export interface Frame {
  seq: number;
  kind: FrameKind;
  ts: Date;
  /** JSON text of the fields of its kind. */
  payload: string;
}

/** The run that a message is about, with the columns by which listeners filter. */
export interface RunRef {
  projectId: string;
  runId: string;
  app: string;
  workflow: string;
}

/** Hints between the parts of one process. Any of them may be lost: polling alone is correct. */
export interface BusEvents {
  /** Lanes that have a run to claim now. */
  'work.ready': { laneIds: readonly number[] };
  /** A run parked that is due by itself, this many ms from now. */
  'work.due': { inMs: number };
  /** A run got at least one new frame. The frames are in order and without gaps. */
  'run.frames': RunRef & { frames: readonly Frame[] };
  /** Journals of runs grew by frames that only the database knows. */
  'run.moved': { runs: readonly RunRef[] };
  'event.ingested': { projectId: string; eventId: string; app: string; name: string };
  /** A run was cancelled while a dispatcher may execute it. */
  'run.cancelled': { runId: string; reason: string };
  /** A leased run is to be paused before its next step, by whichever dispatcher holds the lease. */
  'run.pausing': { runId: string };
  'registry.changed': { projectId: string };
  /** A key was revoked. Its streams and sockets end. */
  'key.revoked': { keyId: string };
  /** The process stops: waits for events end, and no new one begins (`isStopping`). */
  'service.stopping': Record<string, never>;
  'approval.changed': { projectId: string; approvalId: string };
}

export type BusEvent = keyof BusEvents;

/** The key of a message, for listeners that follow one run among thousands. */
const keyOf: { [E in BusEvent]?: (payload: BusEvents[E]) => string } = {
  'run.cancelled': (payload) => payload.runId,
};

export class Bus {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  #isStopping = false;

  /** Whether `service.stopping` was emitted. Requests may still arrive after it. */
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
   * Listens until the returned function is called. A key (a run's id) limits this to its messages.
   */
  on<E extends BusEvent>(event: E, listener: (payload: BusEvents[E]) => void, key?: string): () => void {
    const name = key === undefined ? event : `${event} ${key}`;
    this.#emitter.on(name, listener);
    return () => this.#emitter.off(name, listener);
  }
}
