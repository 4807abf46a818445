import type { RunInfo } from '@holdfast/sdk';
import { pause } from './client.ts';

/** The runners' observations of runs under policies, which survive the deaths of the service. */
export class GateLedger {
  /** Violations that no fault excuses. */
  readonly violations: string[] = [];
  /**
   * Scopes with more bodies than their limit, all over live connections. Excusable if a live
   * process was silent for so long that others took its runs.
   */
  readonly overflows: string[] = [];
  /** The maximum number of bodies of a scope at once, including lost connections. */
  most = 0;
  readonly #executing = new Map<string, Set<RunInfo>>();
  readonly #taken = new Map<string, string[]>();

  /**
   * A body under `concurrency`. If its connection is lost while it works, its run may go to another
   * runner. Then the body no longer counts (I11).
   */
  async hold({
    run,
    scope,
    limit,
    forMs,
  }: {
    run: RunInfo;
    scope: string;
    limit: number;
    forMs: number;
  }): Promise<void> {
    const executing = this.#executing.get(scope) ?? new Set();
    this.#executing.set(scope, executing.add(run));
    this.most = Math.max(this.most, executing.size);
    const live = [...executing].filter(({ signal }) => !signal.aborted);
    if (live.length > limit) this.overflows.push(`${scope}: ${live.map(({ id }) => id).join(', ')} at once`);
    try {
      await pause(forMs);
    } finally {
      executing.delete(run);
    }
  }

  /**
   * A body under `singleton` with `skip`. When another run is the holder, all former holders have
   * ended.
   */
  take({ run, scope }: { run: RunInfo; scope: string }): void {
    const holders = this.#taken.get(scope) ?? [];
    this.#taken.set(scope, holders);
    if (holders.at(-1) === run.id) return;
    if (holders.includes(run.id)) this.violations.push(`${scope}: ${run.id} goes on after ${holders.at(-1)} had begun`);
    holders.push(run.id);
  }
}
