import { invalid } from '../../../../src/engine/errors.ts';
import type {
  ConnectRegistration,
  HttpRunner,
  OpenConnection,
  RunnerConnection,
  StrayConnections,
} from '../../../../src/engine/runners/index.ts';
import type { RegisteredRunner, RunnerRegistry } from '../../../../src/workers/dispatcher/seams/runners.ts';
import { Arrivals } from './arrivals.ts';

/** A registry in memory. */
export class ScriptedRegistry implements RunnerRegistry {
  readonly registrations = new Arrivals<ConnectRegistration & RunnerConnection>();
  readonly disconnected = new Arrivals<string>();
  readonly touched = new Arrivals<string>();
  readonly missedOnes = new Arrivals<string>();
  /** Whether a runner that missed a probe is not live any more. */
  isGone: (connectionId: string) => boolean = () => false;
  /** The connection of each runner, by app and id. */
  readonly current = new Map<string, RunnerConnection>();
  http: HttpRunner[] = [];
  secrets: string[] = ['whsec_test'];
  /** Called before a connection gets its number. */
  onNumber: () => void | Promise<void> = () => undefined;
  #lastNo = 0;
  onRegister: () => void | Promise<void> = () => undefined;
  /** Called once a runner is entered, before that is answered. */
  onEntered: () => void | Promise<void> = () => undefined;

  async nextConnectionNo(): Promise<number> {
    await this.onNumber();
    this.#lastNo += 1;
    return this.#lastNo;
  }

  async register(given: ConnectRegistration): Promise<RegisteredRunner> {
    await this.onRegister();
    const { connectionId } = given.connection;
    const { app, runner, workflows } = given.registration as {
      app?: string;
      runner?: string;
      workflows?: { name: string }[];
    };
    if (typeof app !== 'string') throw invalid('app must be a string');
    const runnerId = runner ?? connectionId;
    const key = `${app} ${runnerId}`;
    const isEntered = (this.current.get(key)?.connectionNo ?? 0) <= given.connection.connectionNo;
    if (isEntered) this.current.set(key, given.connection);
    this.registrations.add({ ...given, ...given.connection });
    await this.onEntered();
    return { app, runnerId, workflows: (workflows ?? []).map(({ name }) => name), isEntered };
  }

  disconnect(connectionIds: readonly string[]): Promise<void> {
    for (const id of connectionIds) this.disconnected.add(id);
    return Promise.resolve();
  }

  missed(connectionIds: readonly string[]): Promise<string[]> {
    for (const id of connectionIds) this.missedOnes.add(id);
    return Promise.resolve(connectionIds.filter(this.isGone));
  }

  touch(connectionIds: readonly string[]): Promise<void> {
    for (const id of connectionIds) this.touched.add(id);
    return Promise.resolve();
  }

  strayConnections(connections: readonly OpenConnection[]): Promise<StrayConnections> {
    const found = { replaced: new Set<string>(), forgotten: new Set<string>() };
    for (const { app, connectionId, connectionNo, dispatcherId, runnerId } of connections) {
      const row = this.current.get(`${app} ${runnerId}`);
      if (row && row.connectionNo > connectionNo) found.replaced.add(connectionId);
      else if (row?.dispatcherId !== dispatcherId) found.forgotten.add(connectionId);
    }
    return Promise.resolve(found);
  }

  httpRunners(): Promise<HttpRunner[]> {
    return Promise.resolve(this.http);
  }

  invokeSecrets(): Promise<readonly string[]> {
    return Promise.resolve(this.secrets);
  }
}

/** Lanes in memory, numbered as they are asked for. */
export class ScriptedLanes {
  readonly #keys: { projectId: string; app: string; workflow: string; runner: string }[] = [];

  /** The id of a lane. */
  id(projectId: string, { app = 'shop', workflow = 'order', runner = '' } = {}): number {
    const at = this.#keys.findIndex(
      (key) => key.projectId === projectId && key.app === app && key.workflow === workflow && key.runner === runner,
    );
    return at >= 0 ? at + 1 : this.#keys.push({ projectId, app, workflow, runner });
  }

  ensure(keys: readonly { projectId: string; app: string; workflow: string; runner: string }[]): Promise<number[]> {
    return Promise.resolve(keys.map((key) => this.id(key.projectId, key)));
  }

  describe(ids: readonly number[]) {
    return Promise.resolve(this.#pick((id) => ids.includes(id)));
  }

  pinnedTo(runners: readonly { projectId: string; app: string; runnerId: string }[]) {
    return Promise.resolve(
      this.#pick((_, key) => runners.some((each) => each.app === key.app && each.runnerId === key.runner)),
    );
  }

  #pick(fits: (id: number, key: { app: string; runner: string }) => boolean) {
    const found = new Map<number, { projectId: string; app: string; workflow: string; runner: string }>();
    for (const [index, key] of this.#keys.entries()) if (fits(index + 1, key)) found.set(index + 1, key);
    return found;
  }
}
