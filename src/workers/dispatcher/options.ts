import { heartbeatMs, silenceMs } from '../../engine/dispatchers/index.ts';

/** The options that come from settings of the process and have no default here. */
export interface DispatcherSettings {
  /** Between probes of a silent HTTP runner. */
  probeMs: number;
  /** Open sockets of one key in this process. */
  socketsPerKey: number;
}

/** The dispatcher's options; the contract's limits are settings of the engine. All times in ms. */
export interface DispatcherOptions extends DispatcherSettings {
  /** Between heartbeats of this dispatcher. */
  tickMs: number;
  /** After this silence other dispatchers take over its leases. */
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
   * How long an upgrade may wait for the authentication, and then for its number, before it is
   * refused.
   */
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
  upgradeTimeoutMs: 10_000,
  drainMs: 6_000,
  waitMs: 10_000,
  maxWaiting: 2_000,
  claimLimit: 256,
  congestedBytes: 4 * 1024 * 1024,
  httpSocketsPerOrigin: 256,
  httpSockets: 2_048,
};
