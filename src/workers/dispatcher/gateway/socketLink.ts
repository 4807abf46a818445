import type { RunnerIdentity, RunnerLink } from '../routing/runnerLink.ts';
import type { Connection } from './connection.ts';
import { cancelFrame, invokeFrame } from './frames.ts';

export interface SocketLinkOptions extends RunnerIdentity {
  connection: Connection;
  workflows: ReadonlySet<string>;
  maxInFlight: number;
}

/** A runner that is connected by a socket. */
export class SocketLink implements RunnerLink {
  readonly transport = 'socket';
  readonly projectId: string;
  readonly app: string;
  readonly runnerId: string;
  readonly workflows: ReadonlySet<string>;
  readonly maxInFlight: number;
  /** A heartbeat is overdue. */
  isSuspect = false;
  load = 0;
  settling = 0;
  answerMs = 0;
  answeredAtMs = Number.NEGATIVE_INFINITY;
  readonly #connection: Connection;

  constructor({ connection, projectId, app, runnerId, workflows, maxInFlight }: SocketLinkOptions) {
    this.#connection = connection;
    this.projectId = projectId;
    this.app = app;
    this.runnerId = runnerId;
    this.workflows = workflows;
    this.maxInFlight = maxInFlight;
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
}
