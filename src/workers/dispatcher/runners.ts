import type { OpenConnection, StrayConnections } from '../../engine/routing/index.ts';
import type { ConnectedRunner, ConnectRegistration, HttpRunner } from '../../engine/runners/index.ts';

export type RegisteredRunner = Pick<ConnectedRunner, 'app' | 'runnerId' | 'workflows'>;

/** What the dispatcher needs of the engine's registry, and no more: tests script it. */
export interface RunnerRegistry {
  /** Enters a connected runner. Throws `invalid` on a registration that cannot be. */
  register(connection: ConnectRegistration): Promise<RegisteredRunner>;
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
