import { type GuardLimits, StoredGuard } from '../cel/index.ts';
import type { CancelRule, Definition, KnownRunner, Listener, ProjectSnapshot } from '../model/index.ts';
import { CancelIndex } from './cancelIndex.ts';
import type { ProjectRow, RunnerRow } from './sql/loadProject.ts';
import { TriggerIndex } from './triggerIndex.ts';

interface GuardSource {
  limits: GuardLimits;
  /** The set before a change. Its guards are kept, because they may be compiled. */
  former: DefinitionSet | undefined;
}

/** The expensive part of a snapshot, which changes only with the version. */
export class DefinitionSet {
  readonly #byApp = new Map<string, Map<string, Definition>>();
  readonly guards = new Map<string, StoredGuard>();
  readonly cancelGuards = new Map<string, StoredGuard>();
  readonly index: TriggerIndex;
  readonly cancels: CancelIndex;

  constructor(definitions: readonly Definition[], { limits, former }: GuardSource) {
    const ordered = [...definitions].sort(byAppAndName);
    for (const definition of ordered) {
      const app = this.#byApp.get(definition.app);
      if (app) app.set(definition.name, definition);
      else this.#byApp.set(definition.app, new Map([[definition.name, definition]]));
    }
    const { guards, cancelGuards } = this;
    const keep =
      (kept: Map<string, StoredGuard>, known: Map<string, StoredGuard> | undefined, withRun: boolean) =>
      (source: string): StoredGuard => {
        const guard = kept.get(source) ?? known?.get(source) ?? new StoredGuard(source, limits, { withRun });
        kept.set(source, guard);
        return guard;
      };
    this.index = new TriggerIndex(ordered, keep(guards, former?.guards, false));
    this.cancels = new CancelIndex(ordered, keep(cancelGuards, former?.cancelGuards, true));
  }

  get(app: string, name: string): Definition | undefined {
    return this.#byApp.get(app)?.get(name);
  }

  named(name: string): Definition[] {
    return [...this.#byApp.values()].flatMap((app) => app.get(name) ?? []);
  }
}

interface SnapshotSource {
  row: ProjectRow;
  readAtMs: number;
  definitions: DefinitionSet;
}

/** A snapshot, with the definitions that the next one may reuse. */
export class Snapshot implements ProjectSnapshot {
  readonly projectId: string;
  readonly version: bigint;
  readonly readAtMs: number;
  readonly readAt: Date;
  readonly suspended: boolean;
  readonly concurrencyCeiling: number;
  readonly hasEndpoints: boolean;
  readonly runners: readonly KnownRunner[];
  readonly definitions: DefinitionSet;

  constructor(projectId: string, { row, readAtMs, definitions }: SnapshotSource) {
    this.projectId = projectId;
    this.version = BigInt(row.version);
    this.readAtMs = readAtMs;
    this.readAt = new Date(row.nowMs);
    this.suspended = row.suspended;
    this.concurrencyCeiling = row.concurrencyCeiling;
    this.hasEndpoints = row.hasEndpoints;
    this.runners = Object.freeze((JSON.parse(row.runners) as RunnerRow[]).map(knownRunner));
    this.definitions = definitions;
    Object.freeze(this);
  }

  workflow(app: string, name: string): Definition | undefined {
    return this.definitions.get(app, name);
  }

  workflowsNamed(name: string): readonly Definition[] {
    return this.definitions.named(name);
  }

  listeners(name: string): Iterable<Listener> {
    return this.definitions.index.listeners(name);
  }

  cancelRules(name: string): readonly CancelRule[] {
    return this.definitions.cancels.named(name);
  }
}

function knownRunner(row: RunnerRow): KnownRunner {
  const { app, runnerId, transport, connected } = row;
  return Object.freeze({
    app,
    runnerId,
    transport,
    connected,
    workflows: new Set(row.workflows),
    lastSeenAt: new Date(row.lastSeenAtMs),
  });
}

function byAppAndName(a: Definition, b: Definition): number {
  if (a.app !== b.app) return a.app < b.app ? -1 : 1;
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}
