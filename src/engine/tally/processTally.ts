import { perEngine } from '../perEngine.ts';
import { Distribution } from './distribution.ts';
import { waitBounds, zeros } from './workflowTally.ts';

export const eventSources = ['api', 'webhook', 'emit'] as const;

/** How a runner is reached. */
export const transports = ['socket', 'http'] as const;
export type Transport = (typeof transports)[number];

/**
 * What followed a pass. `continued`: the next pass at once. `parked`: a wait. `retried`: the
 * handler failed, and is called again. `unanswered`: the runner did not answer. `lost`: the lease
 * had ended. The others: the run ended.
 */
export const passOutcomes = ['continued', 'parked', 'retried', 'unanswered', 'succeeded', 'failed', 'lost'] as const;
export type PassOutcome = (typeof passOutcomes)[number];

/** How leases end without their dispatcher: it finds so at a commit, or was found dead. */
export const leaseLosses = ['commit', 'takeover'] as const;

/**
 * How passes were sent. `full`: with the memo. `continued`: to a handler that the runner holds.
 * `lost`: the runner had let go of that handler, or checks its replay, so a full pass followed.
 */
export const invokeKinds = ['full', 'continued', 'lost'] as const;
export type InvokeKind = (typeof invokeKinds)[number];

/** The runners of this process. */
export interface RunnerFigures {
  runners: Record<Transport, number>;
  /** Invokes since the start. */
  invokes: Readonly<Record<InvokeKind, number>>;
  /** Invokes that the runners take at once. */
  slots: { used: number; free: number };
}

const noRunners: RunnerFigures = {
  runners: zeros(transports),
  invokes: zeros(invokeKinds),
  slots: { used: 0, free: 0 },
};

/** What this process has seen since it started, beside the workflows. */
export class ProcessTally {
  /** Events that were recorded. */
  readonly events = zeros(eventSources);
  readonly passes: Readonly<Record<Transport, Record<PassOutcome, number>>> = {
    socket: zeros(passOutcomes),
    http: zeros(passOutcomes),
  };
  readonly leasesLost = zeros(leaseLosses);
  /** From the due time of timers and schedules to the moment at which they fired, in seconds. */
  readonly timerLateness = new Distribution(waitBounds);
  /** The dispatcher of this process sets it. */
  runners: () => RunnerFigures = () => noRunners;
}

export const processTally = perEngine(() => new ProcessTally());
