import type { Bus, Frame } from '../../engine/bus.ts';

/** A status that a delivery may tell of. */
const final = /"status":"(succeeded|failed|cancelled|skipped)"/;

const tellsOfAnEnd = ({ kind, payload }: Frame): boolean => kind !== 'log' && final.test(payload);

/** Which projects have an enabled endpoint, as far as this process knows. */
export class EndpointProjects {
  /** Whether an endpoint may have changed since the last reading. */
  isStale = true;
  /** Undefined: not known, so any may have one. */
  #ids: ReadonlySet<string> | undefined;

  /** `ids` is undefined if they are too many to be listed. */
  update(ids: ReadonlySet<string> | undefined): void {
    this.#ids = ids;
    this.isStale = false;
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
