import { BoundedCache } from '../../../boundedCache.ts';
import type { Queryable } from '../../../db/index.ts';
import type { WorkflowRef } from '../../index.ts';
import { type SpendRange, sumSpend } from './sql/sumSpend.ts';
import { asDecimal, nameOf, type Spend } from './verdict.ts';

/** A workflow with the length of its spend window. */
export interface Window extends WorkflowRef {
  windowMs: number;
}

/**
 * The cached spends of chunks from `from`, up to but excluding `to`. Chunks without spend are
 * omitted.
 */
interface Known {
  /** When the first of these chunks was read. */
  at: number;
  chunkMs: number;
  from: number;
  to: number;
  spends: ReadonlyMap<number, Spend>;
}

/** The approximate number of cached chunks per window. A chunk is at least a minute. */
const chunks = 128;
const minChunkMs = 60_000;
/** After this time, all spends are committed, however long their transactions waited. */
const settledAfterMs = 300_000;
/**
 * The interval between full reads of a window, so that no error persists. A clock may have been set
 * back and forth.
 */
const refreshAfterMs = 3_600_000;

/** The spend without any calls. */
const nothing: Spend = Object.freeze({ tokens: 0, cost: undefined });

/**
 * Sums over trailing windows. A window may hold millions of calls, and is read every few seconds.
 * So past chunks are summed once and cached, and a check reads only the ends of the window.
 */
export class SpendWindows {
  readonly #known = new BoundedCache<string, Known>(10_000);

  /** The spend in each window that ends at `at`, in order. The start of a window is exclusive. */
  async read(db: Queryable, windows: readonly Window[], at: Date): Promise<Spend[]> {
    if (windows.length === 0) return [];
    const plans = windows.map((window) => plan(window, at, this.#known.get(nameOf(window))));
    const ranges = plans.flatMap((each, owner) => each.ranges.map((range) => ({ owner, range })));
    const rows = await sumSpend(db, { ranges: ranges.map((each) => each.range) });
    const found: { chunk: number | undefined; spend: Spend }[][] = plans.map(() => []);
    for (const { ord, chunk, tokens, cost } of rows) {
      const owner = ranges[ord]?.owner ?? -1;
      found[owner]?.push({ chunk: chunk ?? undefined, spend: { tokens, cost: cost ?? undefined } });
    }
    return windows.map((window, position) => this.#conclude(window, plans[position], found[position] ?? []));
  }

  #conclude(
    window: Window,
    planned: Plan | undefined,
    found: readonly { chunk: number | undefined; spend: Spend }[],
  ): Spend {
    const all = found.map((each) => each.spend);
    if (!planned?.kept) return total(all);
    const { kept, to } = planned;
    const spends = new Map(kept.spends);
    for (const { chunk, spend } of found) if (chunk !== undefined && chunk < to) spends.set(chunk, spend);
    this.#known.set(nameOf(window), { ...kept, to, spends });
    return total([...kept.spends.values(), ...all]);
  }
}

interface Plan {
  /** The ranges to read. */
  ranges: SpendRange[];
  /** The cached part of the window; undefined if the window is too short to cache. */
  kept: Known | undefined;
  /** The first chunk that is not cached after this read. */
  to: number;
}

function plan({ windowMs, ...workflow }: Window, at: Date, known: Known | undefined): Plan {
  const start = at.getTime() - windowMs;
  const chunkMs = Math.max(minChunkMs, Math.ceil(windowMs / chunks));
  const first = Math.ceil(start / chunkMs);
  const to = Math.floor((at.getTime() - settledAfterMs) / chunkMs);
  const whole = { ...workflow, to: undefined, chunkMs: undefined };
  if (to <= first) return { ranges: [{ ...whole, from: new Date(start) }], kept: undefined, to };
  const isFresh = known && at.getTime() - known.at < refreshAfterMs;
  const kept =
    isFresh && reaches(known, { chunkMs, first, to })
      ? since(known, first)
      : { at: at.getTime(), chunkMs, from: first, to: first, spends: new Map() };
  const ranges: SpendRange[] = [{ ...whole, from: new Date(kept.to * chunkMs), chunkMs }];
  if (start < first * chunkMs) ranges.push({ ...whole, from: new Date(start), to: new Date(first * chunkMs) });
  return { ranges, kept, to };
}

/** Whether the cached chunks begin at or before the window, and end within its settled part. */
const reaches = (known: Known, { chunkMs, first, to }: { chunkMs: number; first: number; to: number }): boolean =>
  known.chunkMs === chunkMs && known.from <= first && known.to >= first && known.to <= to;

const since = (known: Known, first: number): Known => ({
  ...known,
  from: first,
  spends: new Map([...known.spends].filter(([chunk]) => chunk >= first)),
});

function total(spends: readonly Spend[]): Spend {
  const { tokens, cost } = spends.reduce(
    (sum, each) => ({
      tokens: sum.tokens + each.tokens,
      cost: each.cost === undefined ? sum.cost : (sum.cost ?? 0) + each.cost,
    }),
    nothing,
  );
  return { tokens, cost: cost === undefined ? undefined : asDecimal(cost) };
}
