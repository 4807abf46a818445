import type { RunStatus } from './runs.ts';

declare const resultOf: unique symbol;

/** A run's id, which carries the type of the run's result. */
export type RunId<Result = unknown> = string & { readonly [resultOf]?: () => Result };

/** The flow-control gate that dropped, delayed or merged a start. */
export interface Gates<Result = unknown> {
  readonly skipped?: boolean;
  readonly dropped?: boolean;
  readonly debounced?: boolean;
  readonly batched?: boolean;
  readonly deduped?: boolean;
  /** The existing run because of which the start was skipped or deduped, if there is one. */
  readonly existingRunId?: RunId<Result>;
}

/** The run that `runs.wait` waits for: its id, or the answer to a start, a fork or a read. */
export type Awaitable<Result = unknown> =
  | RunId<Result>
  | (Gates<Result> & { readonly runId?: RunId<Result>; readonly id?: undefined })
  | { readonly id: RunId<Result> };

/** The answer to a start of one workflow. */
export interface Triggered<Result = unknown> extends Gates<Result> {
  readonly workflow: string;
  readonly app: string;
  /** Absent if a flow-control gate withheld the start; the flag of the gate is then set. */
  readonly runId?: RunId<Result>;
  readonly eventName: string;
}

/** The new run of a replay or a retry from a step (4.6). */
export interface ForkedRun<Result = unknown> {
  readonly id: RunId<Result>;
  readonly status: RunStatus;
}
