import { senderTimes } from '../../engine/webhooks/queue/index.ts';

/** Times in ms, and bounds. Limits of the contract are settings of the engine instead. */
export interface SenderOptions {
  /** The interval of looks for work whose hint was lost. The scheduler looks more often. */
  pollMs: number;
  /** The interval of heartbeats while there are leases, here or elsewhere. */
  beatMs: number;
  /** The time after its last heartbeat in which no other ends the leases of a sender. */
  silenceMs: number;
  /** Requests at once that have not taken `slowMs` yet. */
  requests: number;
  /** Leased deliveries at once, without slow requests. */
  leases: number;
  /** Leased deliveries at once, in all. */
  total: number;
  /** A request that takes longer is slow. */
  slowMs: number;
  /**
   * Deliveries leased ahead of an endpoint that answers well, per permitted request at most. A slow
   * endpoint has fewer.
   */
  aheadPerRequest: number;
  /** The pause between two settlements, so that each one settles many outcomes under load. */
  settleRestMs: number;
  /** How long `stop` waits for requests under way before it abandons them. */
  drainMs: number;
  /** Bytes of bodies in memory, without those of slow requests. */
  bodyBytes: number;
  /** The same, with those of slow requests. */
  totalBodyBytes: number;
}

export const defaultOptions: SenderOptions = {
  pollMs: 60_000,
  ...senderTimes,
  requests: 256,
  leases: 1_024,
  total: 4_096,
  slowMs: 250,
  aheadPerRequest: 29,
  settleRestMs: 4,
  drainMs: 7_000,
  bodyBytes: 64 * 1024 * 1024,
  totalBodyBytes: 192 * 1024 * 1024,
};
