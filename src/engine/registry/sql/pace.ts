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
 * SQL: what becomes of a time that stands for turns, of a row that holds what `paceColumns` lists. Never more than as many turns take:
 * what cannot be said exactly is cut off.
 */
export const rescaled = (time: string, row: string): string =>
  `trunc((${time}) * (${row}.per_ms * ${row}.former_count) / (${row}.former_per_ms * ${row}.count), 6)`;

/** The arrays that `rescaled` goes by: `former_count`, `former_per_ms`, `count`, `per_ms`. What is gone takes no time at all. */
export const paceColumns = (changes: readonly PaceChange[]): unknown[][] => [
  changes.map(({ former }) => former.count),
  changes.map(({ former }) => former.perMs),
  changes.map(({ current }) => current?.count ?? 1),
  changes.map(({ current }) => current?.perMs ?? 0),
];
