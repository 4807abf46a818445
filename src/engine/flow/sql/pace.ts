import { numeric } from '../../db/index.ts';

/** A rate: `count` per `perMs` milliseconds. */
export interface Pace {
  count: number;
  perMs: number;
}

/** The pace of a policy before and after a registration. */
export interface PaceChange {
  former: Pace;
  /** Undefined if the policy was removed. */
  current: Pace | undefined;
}

/**
 * SQL: a time that represents turns, at the new pace; `row` has the `paceColumns`. The result is
 * truncated to six digits, so it is never longer than the turns.
 */
export const rescaled = (time: string, row: string): string =>
  `trunc((${time}) * (${row}.per_ms * ${row}.former_count) / (${row}.former_per_ms * ${row}.count), 6)`;

/** The columns that `rescaled` reads. A removed policy has a pace of zero time per turn. */
export const paceColumns = {
  formerCount: numeric.of(({ former }: PaceChange) => former.count),
  formerPerMs: numeric.of(({ former }: PaceChange) => former.perMs),
  count: numeric.of(({ current }: PaceChange) => current?.count ?? 1),
  perMs: numeric.of(({ current }: PaceChange) => current?.perMs ?? 0),
};
