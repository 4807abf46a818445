import { heartbeatMs, silenceMs } from '../../engine/dispatchers/index.ts';

/** The options that are settings of the process, so that nothing here has a default for them. */
export interface DispatcherSettings {
  /** Between probes of a silent HTTP runner. */
  probeMs: number;
  /** Open sockets of one key in this process. */
  socketsPerKey: number;
}

/**
 * How the dispatcher does its work. Limits of the contract are settings of the engine, not these.
 * All times in ms.
 */
export interface DispatcherOptions extends DispatcherSettings {
  /** Between heartbeats of this dispatcher. */
  tickMs: number;
  /** After this silence others take what a dispatcher holds. */
  silenceMs: number;
  /**
   * Between looks for what no hint told: work to claim, cancelled runs, replaced runners, new
   * definitions and lanes.
   */
  newsMs: number;
  /**
   * Between sweeps over sockets and invokes for time-outs. Default: a quarter of the heartbeat, at
   * most a second.
   */
  sweepMs: number | undefined;
  /** How long a new socket may take to say hello. */
  helloTimeoutMs: number;
  /**
   * For how long another connection must have had a runner's place before the one here is closed.
   */
  doubtMs: number;
  /** How long an authentication may take before the upgrade is given up. */
  upgradeTimeoutMs: number;
  /** How long `stop` waits for passes in flight before it hands them back. */
  drainMs: number;
  /** How long a pass may wait here for a free runner before it is handed back. */
  waitMs: number;
  /** Passes that may wait here for a free runner. */
  maxWaiting: number;
  /** Runs that one claim may take. */
  claimLimit: number;
  /** Unsent bytes of a socket from which on it is given no more. */
  congestedBytes: number;
  /** Connections for invokes of HTTP runners: to one address, and in all. */
  httpSocketsPerOrigin: number;
  httpSockets: number;
}

export const defaultOptions: Omit<DispatcherOptions, keyof DispatcherSettings> = {
  tickMs: heartbeatMs,
  silenceMs,
  newsMs: 10_000,
  sweepMs: undefined,
  helloTimeoutMs: 10_000,
  doubtMs: 1_500,
  upgradeTimeoutMs: 10_000,
  drainMs: 6_000,
  waitMs: 10_000,
  maxWaiting: 2_000,
  claimLimit: 256,
  congestedBytes: 4 * 1024 * 1024,
  httpSocketsPerOrigin: 256,
  httpSockets: 2_048,
};
