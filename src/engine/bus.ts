import { EventEmitter } from 'node:events';

export const frameKinds = ['run_status', 'step_status', 'log'] as const;

export type FrameKind = (typeof frameKinds)[number];

/** One entry of a run's journal (4.5): `seq` counts 1..n per run without a hole, over all kinds. */
export interface Frame {
  seq: number;
  kind: FrameKind;
  ts: Date;
  /** JSON text of the kind's own fields. */
  payload: string;
}

/** A run, as listeners look for it. */
export interface RunRef {
  projectId: string;
  runId: string;
  app: string;
  workflow: string;
}

/**
 * Hints between the parts of one process. All of them may be lost: polling alone is correct, only
 * slower.
 */
export interface BusEvents {
  /** Lanes that have a run to claim now. */
  'work.ready': { laneIds: readonly number[] };
  /** Something parks that wakes by itself, this many ms from now. */
  'work.due': { inMs: number };
  /**
   * At least one frame of a run was committed; frames are in order and without a gap between them.
   */
  'run.frames': RunRef & { frames: readonly Frame[] };
  /** Journals of runs grew by frames that only the database knows. */
  'run.moved': { runs: readonly RunRef[] };
  /** An event was recorded. */
  'event.ingested': { projectId: string; eventId: string; app: string; name: string };
  /** A run was cancelled under whoever executes it. */
  'run.cancelled': { runId: string; reason: string };
  /** A run is to be paused whose lease somebody holds: before its next step, whoever has it. */
  'run.pausing': { runId: string };
  /** Definitions, runners or limits of a project changed. */
  'registry.changed': { projectId: string };
  /** A key was revoked: its streams and sockets end. */
  'key.revoked': { keyId: string };
  /**
   * The process takes leave: whoever waits for something to happen stops waiting, and nobody begins
   * to (`isStopping`).
   */
  'service.stopping': Record<string, never>;
  'approval.changed': { projectId: string; approvalId: string };
}

export type BusEvent = keyof BusEvents;

/** What an event is about, for those who listen to one thing among thousands. */
const keyOf: { [E in BusEvent]?: (payload: BusEvents[E]) => string } = {
  'run.cancelled': (payload) => payload.runId,
};

export class Bus {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  #isStopping = false;

  /** Whether `service.stopping` was said: it is said once, and requests still arrive after it. */
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
   * Listens until the returned function is called. With a key (a run's id), only to what concerns
   * it.
   */
  on<E extends BusEvent>(event: E, listener: (payload: BusEvents[E]) => void, key?: string): () => void {
    const name = key === undefined ? event : `${event} ${key}`;
    this.#emitter.on(name, listener);
    return () => this.#emitter.off(name, listener);
  }
}
