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
   * Slots taken. A pass keeps its slot while its answer is committed, so that its next step finds room. Written by
   * `Passes` only.
   */
  load: number;
  /** Cannot be sent anything right now, free slots or not. */
  readonly isCongested: boolean;
  /** Did not answer the last time: second choice. */
  readonly isSuspect: boolean;
  /** Hands over an invoke. Its outcome comes back as a reply under the same id, or as the loss of the link. */
  send(invokeId: string, request: string): void;
  /** The answer is of no use any more. True: none will come, so that the slot is free at once. */
  cancel(invokeId: string, reason: string): boolean;
}

/** Slots that can be given away now. */
export const freeSlots = (link: RunnerLink): number =>
  link.isCongested ? 0 : Math.max(0, link.maxInFlight - link.load);

export const runnerKey = ({ projectId, app, runnerId }: RunnerIdentity): string => `${projectId} ${app}\n${runnerId}`;
