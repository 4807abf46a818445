import { Counter, type Registry } from 'prom-client';
import type { EngineContext } from '../../engine/context.ts';
import {
  durationBounds,
  endStatuses,
  type NamedTally,
  stepResults,
  type WorkflowTally,
  waitBounds,
  withholdingGates,
  workflowTallies,
} from '../../engine/tally/index.ts';
import { DistributionHistogram } from './distributionHistogram.ts';

/**
 * Metrics of the runs that this process records, executes or ends, by workflow. With a project,
 * they name only its workflows.
 */
export function workflowMetrics(engine: EngineContext, projectId: string | undefined, registers: Registry[]): void {
  let shown: NamedTally[] | undefined;
  // One look serves all metrics of a scrape.
  const tallies = (): NamedTally[] => {
    shown ??= workflowTallies(engine).shownTo(projectId);
    return shown;
  };
  const counter = <Word extends string>(
    named: { name: string; help: string; label?: string; words: readonly Word[] },
    countOf: (tally: WorkflowTally, word: Word) => number,
  ): void => {
    const { name, help, label, words } = named;
    new Counter({
      name,
      help,
      labelNames: ['app', 'workflow', ...(label === undefined ? [] : [label])],
      registers,
      collect() {
        this.reset();
        for (const { app, workflow, tally } of tallies())
          for (const word of words) {
            const labels = { app, workflow, ...(label !== undefined && { [label]: word }) };
            if (countOf(tally, word) > 0) this.inc(labels, countOf(tally, word));
          }
      },
    });
  };
  counter(
    { name: 'holdfast_runs_started_total', help: 'Runs that this process recorded.', words: ['started'] },
    (tally) => tally.started,
  );
  counter(
    {
      name: 'holdfast_runs_ended_total',
      help: 'Runs that this process ended, by status.',
      label: 'status',
      words: endStatuses,
    },
    (tally, status) => tally.ended[status],
  );
  counter(
    {
      name: 'holdfast_starts_withheld_total',
      help: 'Starts that made no run, by the gate that withheld them; `dedupeId`: a repeat.',
      label: 'gate',
      words: withholdingGates,
    },
    (tally, gate) => tally.withheld[gate],
  );
  counter(
    {
      name: 'holdfast_steps_total',
      help: 'Attempts of steps that runners reported, by result; `retried`: another attempt follows.',
      label: 'result',
      words: stepResults,
    },
    (tally, result) => tally.steps[result],
  );
  const histogram = (
    named: { name: string; help: string; bounds: readonly number[] },
    distributionOf: (tally: WorkflowTally) => WorkflowTally['wait'],
  ): void => {
    const { name, help, bounds } = named;
    new DistributionHistogram({ name, help, labelNames: ['app', 'workflow'], buckets: [...bounds], registers }, () =>
      tallies().flatMap(({ app, workflow, tally }) => {
        const distribution = distributionOf(tally);
        return distribution.counts.some((count) => count > 0) ? [{ labels: { app, workflow }, distribution }] : [];
      }),
    );
  };
  histogram(
    {
      name: 'holdfast_run_duration_seconds',
      help: 'Time from the first pass of a run to its end, in seconds, of the runs that this process ended.',
      bounds: durationBounds,
    },
    (tally) => tally.duration,
  );
  histogram(
    {
      name: 'holdfast_run_wait_seconds',
      help: 'Time from the instant at which a run is due to its first claim, in seconds, of the runs that this process claimed.',
      bounds: waitBounds,
    },
    (tally) => tally.wait,
  );
}
