import { numeric } from '../../db/index.ts';

/** A rate: so many in so many milliseconds. */
export interface Pace {
  count: number;
  perMs: number;
}

/** The pace of a policy before a registration, and with it. */
export interface PaceChange {
  former: Pace;
  /** Undefined where the policy is gone. */
  current: Pace | undefined;
}

/**
 * SQL: a time that stands for turns, at the new pace; `row` has the `paceColumns`. It is never more
 * than as many turns take: digits beyond the sixth are cut off.
 */
export const rescaled = (time: string, row: string): string =>
  `trunc((${time}) * (${row}.per_ms * ${row}.former_count) / (${row}.former_per_ms * ${row}.count), 6)`;

/** The columns that `rescaled` goes by. A policy that is gone takes no time at all. */
export const paceColumns = {
  formerCount: numeric.of(({ former }: PaceChange) => former.count),
  formerPerMs: numeric.of(({ former }: PaceChange) => former.perMs),
  count: numeric.of(({ current }: PaceChange) => current?.count ?? 1),
  perMs: numeric.of(({ current }: PaceChange) => current?.perMs ?? 0),
};
