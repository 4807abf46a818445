import type { StartedStep } from '@holdfast/sdk/protocol';
import type { Transport } from '../../../engine/tally/index.ts';
import type { LinkReply } from '../seams/work.ts';

/** The identity of a runner: its id is unique within a project and an app. */
export interface RunnerIdentity {
  readonly projectId: string;
  readonly app: string;
  readonly runnerId: string;
}

/** A runner that this process can reach, by a socket of its own or by HTTP. */
export interface RunnerLink extends RunnerIdentity {
  readonly transport: Transport;
  readonly workflows: ReadonlySet<string>;
  /** Slots: the number of invokes that the runner takes at once. */
  readonly maxInFlight: number;
  /** Occupied slots: invokes without an answer. Only `Passes` writes this and the next three. */
  load: number;
  /** Answers that are being committed. Most of these runs will need a slot again. */
  settling: number;
  /** The duration of its answers, smoothed, in ms; 0 before the first. */
  answerMs: number;
  /** The instant of the last answer, on the monotonic clock. */
  answeredAtMs: number;
  /** Whether the runner cannot be sent anything now, even with free slots. */
  readonly isCongested: boolean;
  /** Whether the runner left the last ping or call without an answer. Other runners come first. */
  readonly isSuspect: boolean;
  /** Sends an invoke. A reply under the same id follows, or the end of the link. */
  send(invokeId: string, request: string): void;
  /**
   * Continues the handler that the runner holds under the id of an earlier invoke, in place of
   * `send`. Undefined: this runner holds no handlers.
   */
  readonly continue: ((invokeId: string, of: string, members: string) => void) | undefined;
  /** Cancels an invoke. True: no answer will come, so the slot is free at once. */
  cancel(invokeId: string, reason: string): boolean;
}

/** Receives the replies to invokes. */
export interface InvokeHost {
  /** The bodies of these steps of the invoke have been executing for a while. */
  started(link: RunnerLink, invokeId: string, steps: readonly StartedStep[]): void;
  answered(link: RunnerLink, invokeId: string, reply: LinkReply): void;
  /**
   * The runner does not hold the handler that this invoke is to continue. Answers false if the
   * invoke was to continue none.
   */
  handlerLost(link: RunnerLink, invokeId: string): boolean;
  /** The runner has a free slot. */
  roomMade(link: RunnerLink): void;
}

/** The speed of commits, which limits the claims for a runner. */
export interface CommitPace {
  /** How long a commit takes, smoothed, in ms. */
  settleMs: number;
  /** On the monotonic clock. */
  nowMs: number;
}

/**
 * The number of runs that may be claimed for a runner. A slow runner gets as many runs as it has
 * slots. A runner that answers faster than the database commits gets more, in proportion, so that
 * it need not idle during commits. A runner that is full and has stopped answering gets no surplus,
 * however fast it was.
 */
export function claimRoom(link: RunnerLink, { settleMs, nowMs }: CommitPace): number {
  if (link.isCongested) return 0;
  const hasSurplus = link.answerMs > 0 && !(freeSlots(link) === 0 && nowMs - link.answeredAtMs > stalledMs);
  const surplus = hasSurplus ? Math.min(maxSurplus, settleMs / link.answerMs) : 0;
  return Math.max(0, Math.floor(link.maxInFlight * (1 + surplus)) - link.load - link.settling);
}

const maxSurplus = 3;
const stalledMs = 1_000;

/** Slots that can take an invoke now. */
export const freeSlots = (link: RunnerLink): number =>
  link.isCongested ? 0 : Math.max(0, link.maxInFlight - link.load);

export const runnerKey = ({ projectId, app, runnerId }: RunnerIdentity): string => `${projectId} ${app}\n${runnerId}`;
