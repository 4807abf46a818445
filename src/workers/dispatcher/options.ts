import { heartbeatMs, silenceMs } from '../../engine/dispatchers/index.ts';

/** Options that are settings of the process. They have no default here. */
export interface DispatcherSettings {
  /** The interval between probes of a silent HTTP runner. */
  probeMs: number;
}

/** Times in ms, and bounds. Limits of the contract are settings of the engine instead. */
export interface DispatcherOptions extends DispatcherSettings {
  /** The interval between heartbeats of this dispatcher. */
  tickMs: number;
  /** The silence after which others free the leases of a dispatcher. */
  silenceMs: number;
  /**
   * The interval between polls for lost hints: work to claim, cancelled runs, replaced runners, new
   * definitions and lanes.
   */
  pollMs: number;
  /**
   * The interval between sweeps for timeouts of sockets and invokes. Default: at most a second, see
   * `#sweepMs`.
   */
  sweepMs: number | undefined;
  /** The timeout for the `hello` of a new socket. */
  helloTimeoutMs: number;
  /**
   * How long an upgrade may wait for its authentication, and then for its number. Then it is
   * refused.
   */
  upgradeTimeoutMs: number;
  /** How long `stop` waits for open passes before it releases their runs. */
  drainMs: number;
  /** How long a pass may wait here for a free runner before its run is released. */
  waitMs: number;
  /** How many passes may wait here for a free runner. */
  maxWaiting: number;
  /** How many runs one claim may take. */
  claimLimit: number;
  /** A socket with this many unsent bytes gets no more invokes. */
  congestedBytes: number;
  /** Asked before a pass continues its suspended handler. False: a full pass follows. */
  mayContinue: () => boolean;
  /** Connections for invokes of HTTP runners: to one address, and in all. */
  httpSocketsPerOrigin: number;
  httpSockets: number;
}

export const defaultOptions: Omit<DispatcherOptions, keyof DispatcherSettings> = {
  tickMs: heartbeatMs,
  silenceMs,
  pollMs: 10_000,
  sweepMs: undefined,
  helloTimeoutMs: 10_000,
  upgradeTimeoutMs: 10_000,
  drainMs: 6_000,
  waitMs: 10_000,
  maxWaiting: 2_000,
  claimLimit: 256,
  congestedBytes: 4 * 1024 * 1024,
  mayContinue: () => true,
  httpSocketsPerOrigin: 256,
  httpSockets: 2_048,
};
