import type { InferenceLane } from './runs.ts';

interface OfWorkflow {
  readonly app: string;
  readonly workflow: string;
}

interface OfScope extends OfWorkflow {
  /** The value at the policy's key; absent for the whole workflow. */
  readonly key?: string;
}

/** The starts and runs that flow control holds back now (4.9). Times are RFC 3339, UTC. */
export interface FlowState {
  /** The ceiling of the project; a `limit` of 0 is unlimited. */
  readonly concurrency: { readonly limit: number; readonly inUse: number };
  /** Calls of models, of all workflows. */
  readonly inference: readonly InferenceLane[];
  readonly scopes: readonly (OfScope & { readonly limit: number; readonly inUse: number; readonly waiting: number })[];
  readonly throttle: readonly (OfScope & { readonly delayed: number; readonly nextStartAt: string })[];
  readonly debounce: readonly (OfWorkflow & { readonly pending: number; readonly nextFireAt: string })[];
  readonly batch: readonly (OfWorkflow & { readonly buffered: number; readonly oldestAt: string })[];
  readonly budgets: readonly (OfWorkflow & {
    /** US dollars in the window; absent if no call was priced. */
    readonly cost?: number;
    readonly tokens: number;
    readonly maxCost?: number;
    readonly maxTokens?: number;
    readonly windowMs: number;
    /** Runs that the budget paused. */
    readonly paused: number;
    /** Since when the spend has reached `warnAtPct`, and a limit. Absent below it. */
    readonly warnedAt?: string;
    readonly exceededAt?: string;
    /** When a spent budget has room again, unless more is spent. */
    readonly resumesAt?: string;
  })[];
  readonly tokenThrottle: readonly (OfScope & {
    readonly available: number;
    /** When the bucket allows the next start; absent if starts need not wait. */
    readonly nextStartAt?: string;
  })[];
}
