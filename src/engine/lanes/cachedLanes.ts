import { Batcher } from '../batcher.ts';
import { BoundedCache } from '../boundedCache.ts';
import type { Queryable, Transaction } from '../db/index.ts';
import type { LaneKey, LaneMaker, Lanes } from '../model/index.ts';
import { describeLanes } from './sql/describeLanes.ts';
import { ensureLanes, type LaneRow } from './sql/ensureLanes.ts';

/** About 30 MB when full. */
const defaultCapacity = 100_000;

/** The maximum number of tries. A lane that is then still missing is an error. */
const maxRounds = 10;

/** Limits of the batches that look up uncached lanes. */
const limits = { maxItems: 10_000, maxInFlight: 2, maxQueued: 1_000_000 };

/**
 * Lanes in the database, cached without expiry, because a lane never changes. A lane is created in
 * its own transaction, unless the caller has one. A lane without runs costs only its row.
 * Concurrent look-ups share a statement.
 */
export function createLanes(db: Queryable, capacity: number = defaultCapacity): Lanes {
  return new CachedLanes(db, capacity);
}

/** The connection to search with, and the function to call with each found lane. */
interface Search {
  db: Queryable;
  note: (row: LaneRow) => void;
}

class CachedLanes implements Lanes {
  readonly #db: Queryable;
  readonly #search: Search;
  readonly #looks = new Batcher<LaneKey, number>({ flush: (keys) => this.#find(keys), ...limits });
  readonly #idByName: BoundedCache<string, number>;
  readonly #laneById: BoundedCache<number, LaneKey>;

  constructor(db: Queryable, capacity: number) {
    this.#db = db;
    this.#search = { db, note: (row) => this.#remember(row) };
    this.#idByName = new BoundedCache(capacity);
    this.#laneById = new BoundedCache(capacity);
  }

  async ensure(keys: readonly LaneKey[]): Promise<number[]> {
    // Kept beside the cache, which may be smaller than one call.
    const ids = new Map<string, number>();
    const missing = this.#lookUp(keys, ids);
    const found = await Promise.all(missing.map((key) => this.#looks.add(key)));
    missing.forEach((key, position) => {
      ids.set(nameOf(key), found[position] ?? unreachable());
    });
    return keys.map((key) => ids.get(nameOf(key)) ?? unreachable());
  }

  within(tx: Transaction): LaneMaker {
    const note = (row: LaneRow): void => tx.afterCommit(() => this.#remember(row));
    return { ensure: (keys) => this.#find(keys, { db: tx, note }) };
  }

  async describe(ids: readonly number[]): Promise<Map<number, LaneKey>> {
    const lanes = new Map<number, LaneKey>();
    const missing: number[] = [];
    for (const id of ids) {
      const known = this.#laneById.get(id);
      if (known) lanes.set(id, known);
      else missing.push(id);
    }
    if (missing.length === 0) return lanes;
    for (const row of await describeLanes(this.#db, { ids: missing })) {
      this.#remember(row);
      lanes.set(row.id, keyOf(row));
    }
    return lanes;
  }

  async #find(keys: readonly LaneKey[], { db, note }: Search = this.#search): Promise<number[]> {
    const ids = new Map<string, number>();
    let missing = this.#lookUp(keys, ids);
    for (let round = 0; missing.length > 0; round++) {
      if (round === maxRounds) throw new Error('lanes could not be created');
      for (const row of await ensureLanes(db, { keys: missing })) {
        ids.set(nameOf(row), row.id);
        note(row);
      }
      missing = missing.filter((key) => !ids.has(nameOf(key)));
    }
    return keys.map((key) => ids.get(nameOf(key)) ?? unreachable());
  }

  /** Fills in the cached ids. Returns each missing key once. */
  #lookUp(keys: readonly LaneKey[], ids: Map<string, number>): LaneKey[] {
    const missing = new Map<string, LaneKey>();
    for (const key of keys) {
      const name = nameOf(key);
      const id = this.#idByName.get(name);
      if (id === undefined) missing.set(name, key);
      else ids.set(name, id);
    }
    return [...missing.values()];
  }

  #remember(row: LaneRow): void {
    this.#idByName.set(nameOf(row), row.id);
    this.#laneById.set(row.id, keyOf(row));
  }
}

// Names contain no control characters.
const nameOf = (key: LaneKey): string => `${key.projectId}\n${key.app}\n${key.workflow}\n${key.runner}`;

const keyOf = ({ projectId, app, workflow, runner }: LaneRow): LaneKey => ({ projectId, app, workflow, runner });

function unreachable(): never {
  throw new Error('a lane vanished');
}
