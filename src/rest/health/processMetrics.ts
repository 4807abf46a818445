import { Counter, Gauge, type Registry } from 'prom-client';
import type { EngineContext } from '../../engine/context.ts';
import {
  eventSources,
  invokeKinds,
  leaseLosses,
  passOutcomes,
  processTally,
  transports,
  waitBounds,
} from '../../engine/tally/index.ts';
import { DistributionHistogram } from './distributionHistogram.ts';

/** Metrics of the passes that this process executes, and of its runners. */
export function passMetrics(engine: EngineContext, registers: Registry[]): void {
  const tally = processTally(engine);
  new Counter({
    name: 'holdfast_passes_total',
    help: 'Passes by outcome and transport; `unanswered`: the runner did not answer, `lost`: the lease had ended.',
    labelNames: ['outcome', 'transport'],
    registers,
    collect() {
      this.reset();
      for (const transport of transports)
        for (const outcome of passOutcomes) this.inc({ outcome, transport }, tally.passes[transport][outcome]);
    },
  });
  new Counter({
    name: 'holdfast_invokes_total',
    help: 'Passes by how they were sent; `continued`: to a held handler, `lost`: it was not there, and `full` followed.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset();
      const { invokes } = tally.runners();
      for (const kind of invokeKinds) this.inc({ kind }, invokes[kind]);
    },
  });
  new Counter({
    name: 'holdfast_leases_lost_total',
    help: 'Leases that ended before their pass; `commit`: found at a commit, `takeover`: by other dispatchers.',
    labelNames: ['found'],
    registers,
    collect() {
      this.reset();
      for (const found of leaseLosses) this.inc({ found }, tally.leasesLost[found]);
    },
  });
  new Gauge({
    name: 'holdfast_runners',
    help: 'Runners that take passes from this process. An HTTP runner takes passes from every dispatcher.',
    labelNames: ['transport'],
    registers,
    collect() {
      const { runners } = tally.runners();
      for (const transport of transports) this.set({ transport }, runners[transport]);
    },
  });
  new Gauge({
    name: 'holdfast_runner_slots',
    help: 'Passes that the runners of this process take at once, by whether the slot is used.',
    labelNames: ['state'],
    registers,
    collect() {
      const { used, free } = tally.runners().slots;
      this.set({ state: 'used' }, used);
      this.set({ state: 'free' }, free);
    },
  });
}

/** Metrics of the timers and schedules that this process fires. */
export function timerMetrics(engine: EngineContext, registers: Registry[]): void {
  const { timerLateness: distribution } = processTally(engine);
  new DistributionHistogram(
    {
      name: 'holdfast_timer_lateness_seconds',
      help: 'Time from the due time of a timer or schedule to the moment at which this process fired it, in seconds.',
      labelNames: [],
      buckets: [...waitBounds],
      registers,
    },
    () => [{ labels: {}, distribution }],
  );
}

/** Metrics of the events that this process records. */
export function eventMetrics(engine: EngineContext, registers: Registry[]): void {
  const { events } = processTally(engine);
  new Counter({
    name: 'holdfast_events_total',
    help: 'Events that this process recorded, by source.',
    labelNames: ['source'],
    registers,
    collect() {
      this.reset();
      for (const source of eventSources) this.inc({ source }, events[source]);
    },
  });
}

/** Metrics of the connections of this process to the database. */
export function connectionMetrics({ db }: Pick<EngineContext, 'db'>, registers: Registry[]): void {
  new Gauge({
    name: 'holdfast_database_connections',
    help: 'Connections of the pool of this process, by state; at most DATABASE_POOL_SIZE.',
    labelNames: ['state'],
    registers,
    collect() {
      const { totalCount, idleCount } = db.pool;
      this.set({ state: 'busy' }, totalCount - idleCount);
      this.set({ state: 'idle' }, idleCount);
    },
  });
  new Gauge({
    name: 'holdfast_database_waiting',
    help: 'Statements and transactions that wait for a connection of the pool of this process.',
    registers,
    collect() {
      this.set(db.pool.waitingCount);
    },
  });
}
