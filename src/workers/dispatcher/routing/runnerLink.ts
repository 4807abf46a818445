import type { LinkReply } from '../work.ts';

/** Who a runner is: within a project and an app, its id is its own. */
export interface RunnerIdentity {
  readonly projectId: string;
  readonly app: string;
  readonly runnerId: string;
}

/** A runner that this process can reach, by a socket of its own or by HTTP. */
export interface RunnerLink extends RunnerIdentity {
  readonly workflows: ReadonlySet<string>;
  /** Slots: invokes that it takes at once. */
  readonly maxInFlight: number;
  /**
   * Slots taken: invokes that it has not answered. Written by `Passes` only, as are the next three.
   */
  load: number;
  /** Answers of it that are being committed: most of them will want a slot again. */
  settling: number;
  /** How long it takes to answer, smoothed, in ms; 0 until it has answered. */
  answerMs: number;
  /** When it answered last, on the monotonic clock. */
  answeredAtMs: number;
  /** Cannot be sent anything right now, free slots or not. */
  readonly isCongested: boolean;
  /** Did not answer the last time: second choice. */
  readonly isSuspect: boolean;
  /**
   * Hands over an invoke. Its outcome comes back as a reply under the same id, or as the loss of
   * the link.
   */
  send(invokeId: string, request: string): void;
  /** The answer is of no use any more. True: none will come, so that the slot is free at once. */
  cancel(invokeId: string, reason: string): boolean;
}

/** The sender of invokes, who hears what comes of them. */
export interface InvokeHost {
  answered(link: RunnerLink, invokeId: string, reply: LinkReply): void;
  /** The runner can take more. */
  roomMade(link: RunnerLink): void;
}

/** What bears on the room of a runner. */
export interface Pace {
  /** How long a commit takes, smoothed, in ms. */
  settleMs: number;
  /** On the monotonic clock. */
  nowMs: number;
}

/**
 * Runs that may be claimed for a runner. A slow runner gets as many as it has slots: a run whose
 * step is being committed finds its slot free. Of one that answers faster than the database
 * commits, more runs are under way than it has slots, in proportion, so that it need not idle while
 * answers are on their way to the disk. One that is full and has stopped to answer was fast once:
 * nothing is to wait for it.
 */
export function claimRoom(link: RunnerLink, { settleMs, nowMs }: Pace): number {
  if (link.isCongested) return 0;
  const hasSurplus = link.answerMs > 0 && !(freeSlots(link) === 0 && nowMs - link.answeredAtMs > stalledMs);
  const surplus = hasSurplus ? Math.min(maxSurplus, settleMs / link.answerMs) : 0;
  return Math.max(0, Math.floor(link.maxInFlight * (1 + surplus)) - link.load - link.settling);
}

const maxSurplus = 3;
const stalledMs = 1_000;

/** Slots that can be given away now. */
export const freeSlots = (link: RunnerLink): number =>
  link.isCongested ? 0 : Math.max(0, link.maxInFlight - link.load);

export const runnerKey = ({ projectId, app, runnerId }: RunnerIdentity): string => `${projectId} ${app}\n${runnerId}`;
