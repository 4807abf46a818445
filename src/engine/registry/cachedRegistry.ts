import { performance } from 'node:perf_hooks';
import { backoffs, type FlowControl, type StepManifestEntry } from '@holdfast/sdk/protocol';
import { BoundedCache } from '../boundedCache.ts';
import type { Bus } from '../bus.ts';
import type { Queryable } from '../db/index.ts';
import { notFound } from '../errors.ts';
import type { Definition, EventTrigger, ProjectSnapshot, Registry, Trigger } from '../model/index.ts';
import type { EngineSettings } from '../settings.ts';
import { DefinitionSet, Snapshot } from './snapshot.ts';
import { loadProject, type WorkflowRow } from './sql/loadProject.ts';

export interface RegistryOptions {
  db: Queryable;
  bus: Bus;
  settings: EngineSettings;
  /** The number of cached projects. */
  capacity?: number | undefined;
}

/**
 * Makes the cache of snapshots. Concurrent callers share one load per project. A change drops the
 * copy. So does the time of a heartbeat, because `lastSeenAt` of runners must stay within the
 * liveness window.
 */
export function createRegistry(options: RegistryOptions): Registry {
  const registry = new CachedRegistry(options);
  options.bus.on('registry.changed', ({ projectId }) => registry.invalidate(projectId));
  return registry;
}

interface Loaded {
  snapshot: Snapshot;
  /** An invalidated copy may still pass its definitions on to the next one. */
  stale: boolean;
}

interface Loading {
  snapshot: Promise<Snapshot>;
  readAtMs: number;
}

interface Reading {
  projectId: string;
  /** When the read began, by the monotonic clock. */
  readAtMs: number;
  previous: Snapshot | undefined;
}

const isFresh = ({ snapshot, stale }: Loaded, sinceMs: number): boolean => !stale && snapshot.readAtMs > sinceMs;

class CachedRegistry implements Registry {
  readonly #db: Queryable;
  readonly #settings: EngineSettings;
  readonly #cache: BoundedCache<string, Loaded>;
  readonly #loading = new Map<string, Loading>();
  /** Counts the changes of all projects. A copy that was read during a change may be outdated. */
  #invalidations = 0;

  constructor({ db, settings, capacity = 1000 }: RegistryOptions) {
    this.#db = db;
    this.#settings = settings;
    this.#cache = new BoundedCache(capacity);
  }

  async snapshot(projectId: string, sinceMs = this.#oldestMs()): Promise<ProjectSnapshot> {
    for (;;) {
      const known = this.#cache.get(projectId);
      if (known && isFresh(known, sinceMs)) return known.snapshot;
      const loading = this.#loading.get(projectId);
      if (!loading) return this.#startLoading(projectId, known?.snapshot);
      if (loading.readAtMs >= sinceMs) return loading.snapshot;
      // The read began too early. All callers that wait for it share the next one.
      await loading.snapshot.catch(() => undefined);
    }
  }

  async snapshotWithin(tx: Queryable, projectId: string): Promise<ProjectSnapshot> {
    const known = this.#cache.get(projectId);
    if (known && isFresh(known, this.#oldestMs())) return known.snapshot;
    const [readAtMs, invalidations] = [performance.now(), this.#invalidations];
    const snapshot = await this.#load(tx, { projectId, readAtMs, previous: known?.snapshot });
    if (invalidations === this.#invalidations) this.#cache.set(projectId, { snapshot, stale: false });
    return snapshot;
  }

  /** Copies that were read before this instant are too old. By the monotonic clock. */
  #oldestMs(): number {
    return performance.now() - this.#settings.runnerHeartbeatMs;
  }

  invalidate(projectId: string): void {
    const known = this.#cache.get(projectId);
    if (known) known.stale = true;
    this.#invalidations += 1;
    // A load in progress may have read before the change, so nobody else may join it, nor may its
    // result be cached.
    this.#loading.delete(projectId);
  }

  #startLoading(projectId: string, previous: Snapshot | undefined): Promise<Snapshot> {
    const readAtMs = performance.now();
    const snapshot = this.#load(this.#db, { projectId, readAtMs, previous }).then(
      (loaded) => {
        if (this.#loading.get(projectId) === loading) {
          this.#loading.delete(projectId);
          this.#cache.set(projectId, { snapshot: loaded, stale: false });
        }
        return loaded;
      },
      (error: unknown) => {
        if (this.#loading.get(projectId) === loading) this.#loading.delete(projectId);
        throw error;
      },
    );
    const loading: Loading = { snapshot, readAtMs };
    this.#loading.set(projectId, loading);
    return snapshot;
  }

  async #load(db: Queryable, { projectId, readAtMs, previous }: Reading): Promise<Snapshot> {
    const [row] = await loadProject(db, { projectId, knownVersion: previous?.version });
    if (!row) throw notFound('project not found');
    const definitions =
      row.workflows === null ? previous?.definitions : this.#build(row.workflows, previous?.definitions);
    if (!definitions) throw new Error('definitions were not sent');
    return new Snapshot(projectId, { row, readAtMs, definitions });
  }

  #build(workflows: string, former: DefinitionSet | undefined): DefinitionSet {
    const rows = JSON.parse(workflows) as WorkflowRow[];
    return new DefinitionSet(rows.map(storedDefinition), { limits: this.#settings.limits, former });
  }
}

/** Restores the shape of a stored definition, which was validated at its registration. */
function storedDefinition(row: WorkflowRow): Definition {
  return {
    name: row.name,
    app: row.app,
    version: row.version,
    retry: {
      maxAttempts: row.maxAttempts,
      backoff: backoffs.find((each) => each === row.backoff) ?? 'exponential',
      initialDelayMs: row.initialDelayMs,
      maxDelayMs: row.maxDelayMs,
    },
    onFailure: row.onFailure,
    triggers: (row.triggers as Trigger[] | null) ?? undefined,
    flowControl: (row.flowControl as FlowControl | null) ?? undefined,
    steps: (row.steps as StepManifestEntry[] | null) ?? undefined,
    maxDurationMs: row.maxDurationMs ?? undefined,
    cancelOn: (row.cancelOn as EventTrigger[] | null) ?? undefined,
    isRetired: row.isRetired,
  };
}
