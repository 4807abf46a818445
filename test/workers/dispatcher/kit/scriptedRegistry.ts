import { invalid } from '../../../../src/engine/errors.ts';
import type { OpenConnection, StrayConnections } from '../../../../src/engine/routing/index.ts';
import type { ConnectRegistration, HttpRunner, RunnerConnection } from '../../../../src/engine/runners/index.ts';
import type { RegisteredRunner, RunnerRegistry } from '../../../../src/workers/dispatcher/runners.ts';
import { Arrivals } from './arrivals.ts';

/** A registry in memory. */
export class ScriptedRegistry implements RunnerRegistry {
  readonly registrations = new Arrivals<ConnectRegistration & RunnerConnection>();
  readonly disconnected = new Arrivals<string>();
  readonly touched = new Arrivals<string>();
  readonly looks = new Arrivals<StrayConnections>();
  readonly current = new Map<string, string>();
  http: HttpRunner[] = [];
  secrets: string[] = ['whsec_test'];
  onRegister: () => void | Promise<void> = () => undefined;
  /** Called once a runner is entered, before that is answered. */
  onEntered: () => void | Promise<void> = () => undefined;

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
    this.current.set(`${app} ${runnerId}`, connectionId);
    this.registrations.add({ ...given, ...given.connection });
    await this.onEntered();
    return { app, runnerId, workflows: (workflows ?? []).map(({ name }) => name) };
  }

  disconnect(connectionIds: readonly string[]): Promise<void> {
    for (const id of connectionIds) this.disconnected.add(id);
    return Promise.resolve();
  }

  touch(connectionIds: readonly string[]): Promise<void> {
    for (const id of connectionIds) this.touched.add(id);
    return Promise.resolve();
  }

  strayConnections(connections: readonly OpenConnection[]): Promise<StrayConnections> {
    const holder = ({ app, runnerId }: OpenConnection) => this.current.get(`${app} ${runnerId}`);
    const stray = connections.filter((each) => holder(each) !== each.connectionId);
    const ids = (isHeld: boolean) =>
      new Set(stray.filter((each) => (holder(each) !== undefined) === isHeld).map(({ connectionId }) => connectionId));
    const found = { replaced: ids(true), forgotten: ids(false) };
    this.looks.add(found);
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
