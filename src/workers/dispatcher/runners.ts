import type { RunnerIdentity } from './routing/runnerLink.ts';

/** What the dispatcher needs of the engine's registry, and no more. */
export interface RunnerRegistry {
  /** Enters a connected runner. Throws `invalid` on a registration that cannot be. */
  register(connection: NewConnection): Promise<RegisteredRunner>;
  /** These sockets are gone. Changes nothing where another connection took their place. */
  disconnect(connectionIds: readonly string[]): Promise<void>;
  /** These runners, by connection or registration, were seen just now. */
  touch(connectionIds: readonly string[]): Promise<void>;
  /** Those of the open connections that do not stand for their runner any more. */
  strayConnections(connections: readonly OpenConnection[]): Promise<StrayConnections>;
  httpRunners(): Promise<HttpRunner[]>;
  /** All that are valid now; the current one first. */
  invokeSecrets(scope: { projectId: string; app: string }): Promise<readonly string[]>;
}

/** An open socket, and the runner that it stands for. */
export interface OpenConnection extends RunnerIdentity {
  connectionId: string;
}

/** By connection. */
export interface StrayConnections {
  /** A newer connection stands for the runner. */
  replaced: ReadonlySet<string>;
  /** Nothing does, as far as the registry knows. */
  forgotten: ReadonlySet<string>;
}

export interface NewConnection {
  projectId: string;
  registration: unknown;
  dispatcherId: string;
  connectionId: string;
  /** Whether the runner is entered anew, by what it said long ago: that replaces no definition. */
  isReturn: boolean;
  /** Whether the socket has ended: then it is not entered any more. */
  isGivenUp: () => boolean;
}

export interface RegisteredRunner {
  app: string;
  runnerId: string;
  workflows: readonly string[];
}

/** A runner that registered a URL. */
export interface HttpRunner extends RunnerIdentity {
  /** Of this registration. */
  connectionId: string;
  url: string;
  workflows: readonly string[];
  maxInFlight: number;
  /** How long ago it was seen, by the database's clock. */
  silentMs: number;
}
