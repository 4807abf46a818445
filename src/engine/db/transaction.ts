import type { Logger } from 'pino';
import type { Queryable } from './statement.ts';

/** Something to do once a commit has succeeded: hints to this process, log lines. */
export type Effect = () => void;

/** A place to write, which knows when it commits. */
export interface Transaction extends Queryable {
  /**
   * Calls `effect` once all that was written here is committed, after the effects that were named
   * before. A rollback drops it, and each try after a deadlock begins with none. The process may
   * die between the commit and its effects: polling must find what they would have told.
   */
  afterCommit(effect: Effect): void;
}

/**
 * Calls effects in order. The commit stands: an effect that throws is logged, and the next follows.
 */
export function callEffects(effects: readonly Effect[], log: Logger | undefined): void {
  for (const effect of effects) {
    try {
      effect();
    } catch (error) {
      log?.error({ err: error }, 'an effect of a commit failed');
    }
  }
}
