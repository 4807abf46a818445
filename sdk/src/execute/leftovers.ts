import type { Report } from './opcodeText.ts';

/**
 * Results of steps that did not fit into the answer of their pass. The next pass of the run takes
 * them from here instead of running the steps again, if it comes to this process; another runs them
 * once more. Bounded: the oldest go first, and their steps run once more, too.
 */
export class Leftovers {
  readonly #runs = new Map<string, Map<string, Report>>();
  readonly #limitBytes: number;
  #bytes = 0;

  constructor(limitBytes = 64 * 1024 * 1024) {
    this.#limitBytes = limitBytes;
  }

  keep(runId: string, reports: readonly Report[]): void {
    const kept = this.#runs.get(runId) ?? new Map<string, Report>();
    this.#runs.delete(runId);
    this.#runs.set(runId, kept);
    for (const report of reports) {
      kept.set(report.id, report);
      this.#bytes += report.bytes;
    }
    for (const oldest of this.#runs.keys()) {
      if (this.#bytes <= this.#limitBytes) return;
      this.forget(oldest);
    }
  }

  take(runId: string, stepId: string): Report | undefined {
    const kept = this.#runs.get(runId);
    const report = kept?.get(stepId);
    if (report === undefined || kept === undefined) return undefined;
    kept.delete(stepId);
    this.#bytes -= report.bytes;
    if (kept.size === 0) this.#runs.delete(runId);
    return report;
  }

  forget(runId: string): void {
    for (const report of this.#runs.get(runId)?.values() ?? []) this.#bytes -= report.bytes;
    this.#runs.delete(runId);
  }
}
