import type { Bus, Frame } from '../../engine/bus.ts';

export interface CallListeners {
  /** Calls may be due. */
  onDue: () => void;
  /** Whether this process has a call of a run. */
  hasRun: (runId: string) => boolean;
  /** A run with calls here may have ended. */
  onChanged: () => void;
}

const endOfRun = /"status":"(succeeded|failed|cancelled)"/;

const tellsOfAnEnd = ({ kind, payload }: Frame): boolean => kind === 'run_status' && endOfRun.test(payload);

/** Listens for calls that are due, and for calls that are not wanted any more. */
export function listenForCalls(bus: Bus, { onDue, hasRun, onChanged }: CallListeners): () => void {
  const stops = [
    bus.on('inference.due', onDue),
    bus.on('run.cancelled', ({ runId }) => {
      if (hasRun(runId)) onChanged();
    }),
    bus.on('run.frames', ({ runId, frames }) => {
      if (hasRun(runId) && frames.some(tellsOfAnEnd)) onChanged();
    }),
    bus.on('run.moved', ({ runs }) => {
      if (runs.some(({ runId }) => hasRun(runId))) onChanged();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
