import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';
import { burst, Mailbox, Poller } from '../timeline/index.ts';
import { listRunnerStates, type RunnerState } from './sql/listRunnerStates.ts';

/** A runner came, left or changed: the same object for all consumers. */
export interface RunnerChange {
  /** The id of the runner's row. */
  id: string;
}

/** Runners of a project that are compared. */
const maxRunners = 10_000;

interface Watched {
  /** What was last seen of each runner; undefined before the first look. */
  seen: ReadonlyMap<string, string> | undefined;
  listeners: Set<(change: RunnerChange) => void>;
  isLooking: boolean;
  /** Whether the registry has changed since the last look began. */
  isDue: boolean;
}

/**
 * Owns: the projects whose runners are followed, and what was last seen of these. It looks after
 * each change of a registry, and once per heartbeat, as a runner falls silent without a word.
 */
class RunnerHub {
  readonly #ctx: EngineContext;
  readonly #projects = new Map<string, Watched>();
  readonly #poller: Poller;

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
    this.#poller = new Poller({
      what: 'runners',
      log: ctx.log,
      nextInMs: () => (this.#projects.size > 0 ? ctx.settings.runnerHeartbeatMs : undefined),
      runOnce: async () => {
        for (const projectId of [...this.#projects.keys()]) await this.#look(projectId);
      },
    });
    ctx.bus.on('registry.changed', ({ projectId }) => {
      const watched = this.#projects.get(projectId);
      if (watched) void this.#lookSoon(projectId, watched);
    });
  }

  /** Follows the runners of a project until the returned function is called. */
  follow(projectId: string, listener: (change: RunnerChange) => void): () => void {
    const watched = this.#projects.get(projectId) ?? newWatched();
    this.#projects.set(projectId, watched);
    watched.listeners.add(listener);
    this.#poller.adjust();
    return () => {
      watched.listeners.delete(listener);
      if (watched.listeners.size === 0 && this.#projects.get(projectId) === watched) this.#projects.delete(projectId);
      this.#poller.adjust();
    };
  }

  /** Resolves once the runners of a followed project were seen, so that later changes are told. */
  async begin(projectId: string): Promise<void> {
    if (!this.#projects.get(projectId)?.seen) await this.#look(projectId);
  }

  /** One look at a time: hundreds of runners may come at once, and each changes the registry. */
  async #lookSoon(projectId: string, watched: Watched): Promise<void> {
    watched.isDue = true;
    if (watched.isLooking) return;
    watched.isLooking = true;
    try {
      while (watched.isDue) {
        watched.isDue = false;
        await this.#look(projectId);
      }
    } catch (error) {
      this.#ctx.log.warn({ err: error, projectId }, 'reading runners failed: the next heartbeat tries again');
    } finally {
      watched.isLooking = false;
    }
  }

  async #look(projectId: string): Promise<void> {
    const { clock, settings } = this.#ctx;
    const asked = { projectId, livenessMs: settings.runnerLivenessMs, now: clock.sql(), limit: maxRunners };
    const rows = await listRunnerStates(this.#ctx.db, asked);
    const watched = this.#projects.get(projectId);
    if (!watched) return;
    const former = watched.seen;
    watched.seen = new Map(rows.map((row) => [row.id, stateOf(row)]));
    if (!former) return;
    for (const row of rows) {
      if (former.get(row.id) === stateOf(row)) continue;
      const change = { id: row.id };
      for (const listener of watched.listeners) listener(change);
    }
  }
}

const newWatched = (): Watched => ({ seen: undefined, listeners: new Set(), isLooking: false, isDue: false });

const stateOf = ({ isLive, state }: RunnerState): string => `${isLive} ${state}`;

const runnerHub = perEngine((ctx) => new RunnerHub(ctx));

/**
 * The runners of a project that come, leave or change after the promise resolves. A change may be
 * missed, so consumers must also read the list. A consumer that falls 10,000 changes behind is
 * disconnected.
 */
export async function tailRunners(
  ctx: EngineContext,
  { projectId }: { projectId: string },
): Promise<AsyncIterableIterator<RunnerChange>> {
  const hub = runnerHub(ctx);
  const leave = hub.follow(projectId, (change) => mailbox.offer(change));
  const mailbox = new Mailbox<RunnerChange>({ capacity: burst, onClose: leave });
  try {
    await hub.begin(projectId);
  } catch (error) {
    leave();
    throw error;
  }
  return mailbox;
}
