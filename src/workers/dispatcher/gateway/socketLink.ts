import type { RunnerIdentity, RunnerLink } from '../routing/runnerLink.ts';
import type { Connection } from './connection.ts';
import { cancelFrame, continueFrame, invokeFrame } from './frames.ts';

export interface SocketLinkOptions extends RunnerIdentity {
  connection: Connection;
  workflows: ReadonlySet<string>;
  maxInFlight: number;
  /** Whether the runner holds handlers between two passes. */
  holdsHandlers: boolean;
}

/** A runner that is connected by a socket. */
export class SocketLink implements RunnerLink {
  readonly transport = 'socket';
  readonly projectId: string;
  readonly app: string;
  readonly runnerId: string;
  readonly workflows: ReadonlySet<string>;
  readonly maxInFlight: number;
  readonly continue: RunnerLink['continue'];
  /** A heartbeat is overdue. */
  isSuspect = false;
  load = 0;
  settling = 0;
  answerMs = 0;
  answeredAtMs = Number.NEGATIVE_INFINITY;
  readonly #connection: Connection;

  constructor({ connection, holdsHandlers, ...runner }: SocketLinkOptions) {
    this.#connection = connection;
    this.projectId = runner.projectId;
    this.app = runner.app;
    this.runnerId = runner.runnerId;
    this.workflows = runner.workflows;
    this.maxInFlight = runner.maxInFlight;
    this.continue = holdsHandlers ? (id, of, members) => this.#continue(id, of, members) : undefined;
  }

  get isCongested(): boolean {
    return this.#connection.isCongested;
  }

  send(invokeId: string, request: string): void {
    this.#connection.write('invoke', invokeFrame(invokeId, request));
  }

  cancel(invokeId: string, reason: string): boolean {
    this.#connection.write('cancel', cancelFrame(invokeId, reason));
    return false;
  }

  #continue(invokeId: string, of: string, members: string): void {
    this.#connection.write('continue', continueFrame(invokeId, of, members));
  }
}
