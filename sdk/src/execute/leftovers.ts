import type { Report } from './opcodeText.ts';

/**
 * Keeps results of steps that did not fit into the answer of their pass. The run's next pass in
 * this process uses them; another process executes the steps again. When full, it drops the oldest
 * results, whose steps also run again.
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
