import { BoundedCache } from '../../../boundedCache.ts';
import type { Queryable } from '../../../db/index.ts';
import type { WorkflowRef } from '../../index.ts';
import { type SpendRange, sumSpend } from './sql/sumSpend.ts';
import { asDecimal, nameOf, type Spend } from './verdict.ts';

/** A workflow and how far back its spend counts. */
export interface Window extends WorkflowRef {
  windowMs: number;
}

/**
 * Chunks `from` to `to`, the last not included, and what was spent in those of them in which
 * something was.
 */
interface Known {
  /** When the first of it was read. */
  at: number;
  chunkMs: number;
  from: number;
  to: number;
  spends: ReadonlyMap<number, Spend>;
}

/** A window is remembered in about so many chunks, none shorter than a minute. */
const chunks = 128;
const minChunkMs = 60_000;
/** What was spent longer ago is committed by now, whatever its transaction waited for. */
const settledAfterMs = 300_000;
/**
 * So often all of it is read afresh, lest a mistake stays for good: a clock may have been set back,
 * and forth again.
 */
const refreshAfterMs = 3_600_000;

/** A sum that nothing was added to. */
const nothing: Spend = Object.freeze({ tokens: 0, cost: undefined });

/**
 * Sums over trailing windows. A window may hold millions of calls, and is asked for every few
 * seconds: what is long past is added up once and remembered, chunk by chunk, so that a look reads
 * no more than the ends of the window.
 */
export class SpendWindows {
  readonly #known = new BoundedCache<string, Known>(10_000);

  /**
   * What was spent in each window that ends at `at`, in order. What a window begins with is not in
   * it.
   */
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
  /** What has to be read. */
  ranges: SpendRange[];
  /** What is remembered of the window; undefined where it is too short for that. */
  kept: Known | undefined;
  /** Up to which chunk, not included, is remembered what is read now. */
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

/**
 * Whether what is remembered begins in the window, or before, and ends in what is settled of it.
 */
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
