import type {
  ConnectedRunner,
  ConnectRegistration,
  HttpRunner,
  OpenConnection,
  StrayConnections,
} from '../../../engine/runners/index.ts';

export type RegisteredRunner = Pick<ConnectedRunner, 'app' | 'runnerId' | 'workflows' | 'isEntered'>;

/** The part of the engine's registry that the dispatcher needs; tests script it. */
export interface RunnerRegistry {
  /** Draws the number of a new connection, higher than all numbers drawn before. */
  nextConnectionNo(): Promise<number>;
  /** Registers a connected runner. Throws `invalid` if the registration breaks a rule. */
  register(connection: ConnectRegistration): Promise<RegisteredRunner>;
  /** Records closed sockets. Skips runners that have another connection already. */
  disconnect(connectionIds: readonly string[]): Promise<void>;
  /**
   * Records that runners, named by connection or registration, were seen just now, with the invokes
   * in flight of those that only this process calls.
   */
  touch(connectionIds: readonly string[], inFlight?: ReadonlyMap<string, number>): Promise<void>;
  /** Records that HTTP runners missed a probe. Answers those that do not count as live any more. */
  missed(connectionIds: readonly string[]): Promise<string[]>;
  /** Finds the open connections that do not represent their runner any more. */
  strayConnections(connections: readonly OpenConnection[]): Promise<StrayConnections>;
  httpRunners(): Promise<HttpRunner[]>;
  /** All secrets that are valid now, the current one first. */
  invokeSecrets(scope: { projectId: string; app: string }): Promise<readonly string[]>;
}
