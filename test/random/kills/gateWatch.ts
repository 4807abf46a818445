import type { Queryable } from '../../../src/engine/db/statement.ts';
import type { Coverage } from '../kit/coverage.ts';
import { pause } from './client.ts';
import { type GateName, gateNames, gates } from './gates.ts';

interface SlotRow {
  key: string;
  leased: number;
  gated: number;
}

interface PlaceRow {
  workflow: string;
  key: string;
  runs: number;
}

/**
 * The states in which a death is interesting: buffers, and runs that hold or await a slot, a time,
 * a budget or a singleton, or that reached their cap.
 */
export const inHand = ['batched', 'debounced', 'delayed', 'gated', 'held', 'places', 'slots', 'spent'] as const;

type InHand = (typeof inHand)[number];

/** How long a kill waits for its moment. */
const aimMs = 5_000;

/** Watches the tables while processes die: no forbidden state may exist even for a moment (I11). */
export class GateWatch {
  readonly violations: string[] = [];
  readonly #db: Queryable;
  readonly #coverage: Coverage;

  constructor(db: Queryable, coverage: Coverage) {
    this.#db = db;
    this.#coverage = coverage;
  }

  async look(): Promise<void> {
    for (const { key, leased, gated } of await this.#slots()) {
      if (leased > gates.narrow.concurrency.limit)
        this.violations.push(`${leased} runs of narrow ${key} execute at once`);
      if (gated > 0) this.#coverage.count('gate', 'concurrency');
    }
    for (const { workflow, key, runs } of await this.#crowdedPlaces()) {
      this.violations.push(`${runs} runs of ${workflow} ${key} are unfinished at once`);
    }
  }

  /**
   * Waits, up to a limit, until policies have this state in hand, and records all such states. Then
   * the moment to kill has come.
   */
  async aim(what: InHand | undefined): Promise<void> {
    const until = performance.now() + aimMs;
    let held = await this.#held();
    while (what !== undefined && held[what] === 0 && performance.now() < until) {
      await pause(10);
      held = await this.#held();
    }
    for (const each of inHand) if (held[each] > 0) this.#coverage.count('struck', each);
    if (held.held > 0) this.#coverage.count('gate', 'budget');
  }

  /** The number of open runs of workflows with policies. */
  async countOpen(): Promise<number> {
    const { rows } = await this.#db.query<{ n: number }>({
      name: 'countOpenOfGates',
      text: `select count(*)::int as n from run_work w join lane on lane.id = w.lane_id where lane.workflow = any($1)`,
      values: [gateNames],
    });
    return rows[0]?.n ?? 0;
  }

  /** The number of buffered starts. */
  async countBuffered(): Promise<number> {
    const { rows } = await this.#db.query<{ n: number }>({
      name: 'countBuffered',
      text: `select (select count(*) from flow_buffer)::int + (select count(*) from flow_buffer_item)::int as n`,
      values: [],
    });
    return rows[0]?.n ?? 0;
  }

  async #slots(): Promise<SlotRow[]> {
    const { rows } = await this.#db.query<SlotRow>({
      name: 'watchSlots',
      text: `
        select slot_key as key, (count(*) filter (where lease_id is not null))::int as leased,
          (count(*) filter (where gate = 'slot'))::int as gated
        from run_work where slot is not null group by slot_key`,
      values: [],
    });
    return rows;
  }

  async #crowdedPlaces(): Promise<PlaceRow[]> {
    const places: GateName[] = ['alone', 'newest'];
    const { rows } = await this.#db.query<PlaceRow>({
      name: 'watchPlaces',
      text: `
        select workflow, input ->> 'key' as key, count(*)::int as runs from run
        where workflow = any($1) and ended_at is null group by 1, 2 having count(*) > 1`,
      values: [places],
    });
    return rows;
  }

  async #held(): Promise<Record<InHand, number>> {
    const { rows } = await this.#db.query<Record<InHand, number>>({
      name: 'watchHeld',
      text: `
        select (select count(*) from run_work where lease_id is not null and slot is not null)::int as slots,
          (select count(*) from run_work where gate = 'slot')::int as gated,
          (select count(*) from run_work where singleton is not null)::int as places,
          (select count(*) from flow_buffer where policy = 'debounce')::int as debounced,
          (select count(*) from flow_buffer where policy = 'batch')::int as batched,
          (select count(*) from run where start_at > now())::int as delayed,
          (select count(*) from run where ended_at is null and paused_reason = 'budget')::int as held,
          (select count(*) from run_work where $1 <= (
            select sum(tokens_in) from ai_usage u where u.run_id = run_work.run_id and u.workflow = 'capped'))::int as spent`,
      values: [gates.capped.cap.maxTokens],
    });
    const [row] = rows;
    if (!row) throw new Error('a count without a row');
    return row;
  }
}
