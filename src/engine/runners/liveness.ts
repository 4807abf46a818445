import type { EngineContext } from '../context.ts';
import type { KnownRunner, ProjectSnapshot } from '../model/index.ts';

/**
 * The database's time, by a copy of it that has aged since. Runners are seen by the database's
 * clock, from which that of this process may be minutes away.
 */
export const databaseNow = (
  { clock }: Pick<EngineContext, 'clock'>,
  { readAt, readAtMs }: Pick<ProjectSnapshot, 'readAt' | 'readAtMs'>,
): Date => clock.sql() ?? new Date(readAt.getTime() + performance.now() - readAtMs);

/**
 * Whether a runner can be sent work (2.12, 8): its socket is open, if it has one, and it was seen
 * within the liveness window at `now`, by the database's clock. As good as the snapshot that the
 * runner came from: whoever refuses because of it reads it afresh first.
 */
export const isLive = (runner: Pick<KnownRunner, 'connected' | 'lastSeenAt'>, now: Date, livenessMs: number): boolean =>
  runner.connected && now.getTime() - runner.lastSeenAt.getTime() < livenessMs;

/**
 * The runners, live or not, that registered a workflow; only the pinned one where a pin is given
 * (4.10, routing).
 */
export function capableRunners(
  snapshot: Pick<ProjectSnapshot, 'runners'>,
  app: string,
  workflow: string,
  pin?: string,
): KnownRunner[] {
  return snapshot.runners.filter(
    (runner) => runner.app === app && runner.workflows.has(workflow) && (!pin || runner.runnerId === pin),
  );
}

/**
 * Why no run can be pinned to a runner that is not among those: one that is gone would be waited
 * for.
 */
export const neverRegistered = (app: string, workflow: string, pin: string): string =>
  `runner ${pin} never registered workflow ${workflow} of app ${app}`;
