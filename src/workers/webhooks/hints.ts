import type { Bus, Frame } from '../../engine/bus.ts';

/** A status that a delivery may tell of. */
const final = /"status":"(succeeded|failed|cancelled|skipped)"/;

const tellsOfAnEnd = ({ kind, payload }: Frame): boolean => kind !== 'log' && final.test(payload);

/** Which projects have an enabled endpoint, as far as this process knows. */
export class EndpointProjects {
  /** Undefined: not known, so any may have one. */
  #ids: ReadonlySet<string> | undefined;
  /** Counts changes of endpoints. */
  #changes = 0;
  /** The count when the last reading began. */
  #readAt = -1;

  /** Whether an endpoint may have changed since the last reading began. */
  get isStale(): boolean {
    return this.#readAt !== this.#changes;
  }

  /** An endpoint may have changed. */
  outdate(): void {
    this.#changes += 1;
  }

  /**
   * A reading begins. Call the result with its answer: `undefined` if the projects are too many to
   * be listed. A change meanwhile needs another reading.
   */
  read(): (ids: ReadonlySet<string> | undefined) => void {
    const at = this.#changes;
    return (ids) => {
      this.#ids = ids;
      this.#readAt = at;
    };
  }

  has(projectId: string): boolean {
    return this.isStale || (this.#ids?.has(projectId) ?? true);
  }
}

/** Calls `onDue` for messages after which deliveries may be due. Returns how to stop. */
export function listenForDue(bus: Bus, projects: EndpointProjects, onDue: () => void): () => void {
  const stops = [
    bus.on('delivery.due', onDue),
    bus.on('run.frames', ({ projectId, frames }) => {
      if (projects.has(projectId) && frames.some(tellsOfAnEnd)) onDue();
    }),
    bus.on('run.moved', ({ runs }) => {
      if (runs.some(({ projectId }) => projects.has(projectId))) onDue();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
