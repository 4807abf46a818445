import type { EngineContext } from '../context.ts';
import type { KnownRunner, ProjectSnapshot } from '../model/index.ts';

/**
 * The database's time: the time at which the snapshot was read, plus its age. Runners are seen by
 * the database's clock, and the clock of this process may differ by minutes.
 */
export const databaseNow = (
  { clock }: Pick<EngineContext, 'clock'>,
  { readAt, readAtMs }: Pick<ProjectSnapshot, 'readAt' | 'readAtMs'>,
): Date => clock.sql() ?? new Date(readAt.getTime() + performance.now() - readAtMs);

/**
 * Whether a runner is live (2.12, 8): its socket is open, if it has one, and it was seen within the
 * liveness window before `now`, by the database's clock. The answer is as old as the snapshot: read
 * a new snapshot before a refusal.
 */
export const isLive = (runner: Pick<KnownRunner, 'connected' | 'lastSeenAt'>, now: Date, livenessMs: number): boolean =>
  runner.connected && now.getTime() - runner.lastSeenAt.getTime() < livenessMs;

/** The runners, live or not, that registered a workflow. With a pin, only that runner (4.10). */
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

/** The refusal of a pin to a runner that never registered. A run would wait for it in vain. */
export const neverRegistered = (app: string, workflow: string, pin: string): string =>
  `runner ${pin} never registered workflow ${workflow} of app ${app}`;
