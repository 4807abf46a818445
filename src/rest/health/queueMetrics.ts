import { Gauge, type Registry } from 'prom-client';
import type { EngineContext } from '../../engine/context.ts';
import { countBudgets } from '../../engine/flow/policies/index.ts';
import { countedRuns, countWork, oldestReady } from '../../engine/work/index.ts';
import { SharedRead } from './sharedRead.ts';

const counted = `counted up to ${countedRuns}`;

/** Metrics of the queue, which is shared: every process reports the same figures for it. */
export function queueMetrics(engine: EngineContext, maxAgeMs: number, registers: Registry[]): void {
  const work = new SharedRead(maxAgeMs, () => countWork(engine.db, { now: engine.clock.sql() }));
  const oldest = new SharedRead(maxAgeMs, () => oldestReady(engine.db, { now: engine.clock.sql() }));
  new Gauge({
    name: 'holdfast_work_runs',
    help: `Unfinished runs by the state of their work, each ${counted}.`,
    labelNames: ['state'],
    registers,
    async collect() {
      const counts = await work.get();
      this.reset();
      for (const { state, runs } of counts) if (runs > 0) this.inc({ state }, runs);
    },
  });
  new Gauge({
    name: 'holdfast_work_due_runs',
    help: `Parked runs that are due, by the state of their work, each ${counted}.`,
    labelNames: ['state'],
    registers,
    async collect() {
      const counts = await work.get();
      this.reset();
      for (const { state, runs, due } of counts) if (runs > 0) this.inc({ state }, due);
    },
  });
  new Gauge({
    name: 'holdfast_gated_runs',
    help: `Runs that wait for a slot of their workflow's concurrency, or for their project's ceiling, ${counted}.`,
    labelNames: ['gate'],
    registers,
    async collect() {
      const counts = await work.get();
      for (const gate of ['slot', 'ceiling']) this.set({ gate }, counts.find((each) => each.gate === gate)?.runs ?? 0);
    },
  });
  new Gauge({
    name: 'holdfast_ready_run_age_seconds',
    help: 'How long the longest waiting of the runs that are first in their lane has been ready, in seconds.',
    registers,
    async collect() {
      const [row] = await oldest.get();
      this.set(row?.ageS ?? 0);
    },
  });
}

/** Metrics of the budgets, which are shared: every process reports the same figures for them. */
export function budgetMetrics(engine: EngineContext, maxAgeMs: number, registers: Registry[]): void {
  const budgets = new SharedRead(maxAgeMs, () => countBudgets(engine.db, undefined));
  new Gauge({
    name: 'holdfast_budget_workflows',
    help: 'Workflows whose spend has passed the warning or the limit of their budget.',
    labelNames: ['state'],
    registers,
    async collect() {
      const [figures] = await budgets.get();
      this.set({ state: 'warned' }, figures?.warned ?? 0);
      this.set({ state: 'exceeded' }, figures?.exceeded ?? 0);
    },
  });
  new Gauge({
    name: 'holdfast_budget_paused_runs',
    help: `Runs that budgets have paused, ${counted}.`,
    registers,
    async collect() {
      const [figures] = await budgets.get();
      this.set(figures?.pausedRuns ?? 0);
    },
  });
}
