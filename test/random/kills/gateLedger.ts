import type { RunInfo } from '@holdfast/sdk';
import { pause } from './client.ts';

/** What the runners saw of runs that policies keep apart; no death of the service touches it. */
export class GateLedger {
  /** What must not be, whatever happens to the service. */
  readonly violations: string[] = [];
  /**
   * More bodies of a scope than its limit, all over connections that stand. A process that lives,
   * but was silent for so long that others took its runs, accounts for it.
   */
  readonly overflows: string[] = [];
  /** How many bodies of a scope were seen at once, those of lost connections included. */
  most = 0;
  readonly #executing = new Map<string, Set<RunInfo>>();
  readonly #taken = new Map<string, string[]>();

  /**
   * A body under `concurrency`. Its run may have gone to another runner when its connection is
   * lost, while it still works: then it counts no more (I11).
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
   * A body under `singleton` with `skip`: once another run had the place, those before it are over.
   */
  take({ run, scope }: { run: RunInfo; scope: string }): void {
    const holders = this.#taken.get(scope) ?? [];
    this.#taken.set(scope, holders);
    if (holders.at(-1) === run.id) return;
    if (holders.includes(run.id)) this.violations.push(`${scope}: ${run.id} goes on after ${holders.at(-1)} had begun`);
    holders.push(run.id);
  }
}
