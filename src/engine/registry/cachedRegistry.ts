import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { BoundedCache } from '../boundedCache.ts';
import type { Bus } from '../bus.ts';
import { compileGuard, type Guard } from '../cel/index.ts';
import type { Queryable } from '../db/statement.ts';
import { notFound } from '../errors.ts';
import type { EngineSettings } from '../settings.ts';
import type { Definition } from './definition.ts';
import type { ProjectSnapshot, Registry } from './registry.ts';
import { DefinitionSet, Snapshot } from './snapshot.ts';
import { loadProject, type WorkflowRow } from './sql/loadProject.ts';
import { storedDefinition } from './storedDefinition.ts';

export interface RegistryOptions {
  db: Queryable;
  bus: Bus;
  log: Logger;
  settings: EngineSettings;
  /** Projects remembered at once. */
  capacity?: number | undefined;
}

/**
 * Snapshots per project, loaded once for all who ask at the same time. A copy is dropped when this process hears of a
 * change, and read again after a heartbeat's time, so that `lastSeenAt` of runners stays within the liveness window
 * whoever keeps them. It listens to the bus for as long as the bus lives.
 */
export function createRegistry(options: RegistryOptions): Registry {
  const registry = new CachedRegistry(options);
  options.bus.on('registry.changed', ({ projectId }) => registry.invalidate(projectId));
  return registry;
}

interface Loaded {
  snapshot: Snapshot;
  /** By the monotonic clock, in ms. */
  loadedAt: number;
  /** An invalidated copy may still lend its definitions to the next. */
  stale: boolean;
}

class CachedRegistry implements Registry {
  readonly #db: Queryable;
  readonly #log: Logger;
  readonly #settings: EngineSettings;
  readonly #cache: BoundedCache<string, Loaded>;
  readonly #loading = new Map<string, Promise<Snapshot>>();

  constructor({ db, log, settings, capacity = 1000 }: RegistryOptions) {
    this.#db = db;
    this.#log = log;
    this.#settings = settings;
    this.#cache = new BoundedCache(capacity);
  }

  async snapshot(projectId: string): Promise<ProjectSnapshot> {
    const known = this.#cache.get(projectId);
    if (known && !known.stale && performance.now() - known.loadedAt < this.#settings.runnerHeartbeatMs) {
      return known.snapshot;
    }
    return this.#loading.get(projectId) ?? this.#startLoading(projectId, known?.snapshot);
  }

  invalidate(projectId: string): void {
    const known = this.#cache.get(projectId);
    if (known) known.stale = true;
    // A load that is under way may have read before the change: nobody else shall join it, nor its result stay.
    this.#loading.delete(projectId);
  }

  #startLoading(projectId: string, previous: Snapshot | undefined): Promise<Snapshot> {
    const loading: Promise<Snapshot> = this.#load(projectId, previous).then(
      (snapshot) => {
        if (this.#loading.get(projectId) === loading) {
          this.#loading.delete(projectId);
          this.#cache.set(projectId, { snapshot, loadedAt: performance.now(), stale: false });
        }
        return snapshot;
      },
      (error: unknown) => {
        if (this.#loading.get(projectId) === loading) this.#loading.delete(projectId);
        throw error;
      },
    );
    this.#loading.set(projectId, loading);
    return loading;
  }

  async #load(projectId: string, previous: Snapshot | undefined): Promise<Snapshot> {
    const [row] = await loadProject(this.#db, { projectId, knownVersion: previous?.version });
    if (!row) throw notFound('project not found');
    const definitions = row.workflows === null ? previous?.definitions : this.#build(row.workflows);
    if (!definitions) throw new Error('definitions were not sent');
    return new Snapshot(projectId, row, definitions);
  }

  #build(workflows: string): DefinitionSet {
    const rows = JSON.parse(workflows) as WorkflowRow[];
    return new DefinitionSet(rows.map(storedDefinition), (definition, source) => this.#compile(definition, source));
  }

  /** A stored guard was valid when it was registered; where ceilings were lowered since, it never holds. */
  #compile({ app, name }: Definition, source: string): Guard | undefined {
    const log = this.#log.child({ app, workflow: name });
    try {
      return compileGuard(source, this.#settings.limits, (reason) =>
        log.warn({ reason }, 'trigger guard is too expensive'),
      );
    } catch (error) {
      log.warn({ err: error }, 'trigger guard does not compile');
      return undefined;
    }
  }
}
