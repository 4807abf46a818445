/**
 * The flow-control policies of a workflow, all off by default. Times are whole milliseconds,
 * counts are positive integers, money is US dollars.
 *
 * A `key` is a dotted field path in the event's data, such as `customer.id`. Each value at the path
 * (a string, a number or a boolean) is a scope of its own. The scope is the whole workflow without
 * a key, or if the field is missing or holds another type.
 */
export interface FlowControl {
  /** Limits how many runs execute at once. The others wait in order. */
  concurrency?: ConcurrencyPolicy | undefined;
  /** Spreads starts evenly. Excess runs start later; none is dropped. */
  throttle?: RatePolicy | undefined;
  /**
   * Limits how many runs start in a period. Excess starts are dropped, and the answer says
   * `dropped`.
   */
  rateLimit?: RatePolicy | undefined;
  /** Starts one run for a burst of events: for the last one, after a quiet period. */
  debounce?: DebouncePolicy | undefined;
  /** Starts one run for many events, which the handler receives as `events`. */
  batch?: BatchPolicy | undefined;
  /** Moves runs forward in the queue. */
  priority?: PriorityPolicy | undefined;
  /** Allows at most one unfinished run. */
  singleton?: SingletonPolicy | undefined;
  /** Starts one run for events with the same value. */
  idempotency?: IdempotencyPolicy | undefined;
  /** Limits what the AI steps of one run spend. */
  cap?: CapPolicy | undefined;
  /** Limits what the AI steps of all runs of the workflow spend in a time window. */
  budget?: BudgetPolicy | undefined;
  /** Starts runs no faster than the spent tokens are refilled. */
  tokenThrottle?: TokenThrottlePolicy | undefined;
}

/** Counts executing runs only: sleeping and waiting runs occupy no slot. */
export interface ConcurrencyPolicy {
  /** Runs that execute at once, per scope. */
  limit: number;
  /** Field path in the event's data. Default: the whole workflow is one scope. */
  key?: string | undefined;
}

/**
 * `limit` starts per `perMs`. `throttle` starts one run every `perMs / limit`; `rateLimit` allows a
 * burst of `limit`.
 */
export interface RatePolicy {
  /** Starts within `perMs`, per scope. */
  limit: number;
  /** The period, in milliseconds. */
  perMs: number;
  /** Field path in the event's data. Default: the whole workflow is one scope. */
  key?: string | undefined;
}

/** Each event of a scope replaces the previous one, and delays the start to `periodMs` from now. */
export interface DebouncePolicy {
  /** Milliseconds without another event. */
  periodMs: number;
  /** Field path in the event's data. Default: the whole workflow is one scope. */
  key?: string | undefined;
}

/** Collects events until there are `maxSize`, or until the first has waited for `timeoutMs`. */
export interface BatchPolicy {
  /** The most events in one run. */
  maxSize: number;
  /** The longest wait of the first event, in milliseconds. */
  timeoutMs: number;
  /** Field path in the event's data. Default: the whole workflow is one scope. */
  key?: string | undefined;
}

export interface PriorityPolicy {
  /**
   * Runs queue as if they had been enqueued this many milliseconds earlier; a negative value means
   * later.
   */
  shiftMs: number;
}

export interface SingletonPolicy {
  /** Field path in the event's data. Default: the whole workflow is one scope. */
  key?: string | undefined;
  /**
   * The effect of a start while a run of the scope is unfinished. `cancel` (the default) cancels
   * that run and starts the new one. `skip` starts no run, and the answer says `skipped`.
   */
  mode?: 'skip' | 'cancel' | undefined;
}

/**
 * Later events with the same value start no run, and the answer says `deduped`. Such events are
 * still recorded and wake waiters.
 */
export interface IdempotencyPolicy {
  /**
   * Field path in the event's data. Default: all events of the workflow count as the same. Events
   * without the field count as the same, too, so check the path carefully.
   */
  key?: string | undefined;
  /** Milliseconds after the first event. Default: 86400000, a day. */
  periodMs?: number | undefined;
}

/**
 * Give at least one of the two. The call that reaches a limit completes. The next AI step then
 * fails the run with a `BudgetError`, before its model call. Parallel AI steps are judged together.
 * A replay or a retry from a step starts at zero.
 */
export interface CapPolicy {
  /** US dollars per run. Counts only the calls whose `cost` was reported. Default: no limit. */
  maxCost?: number | undefined;
  /** Input and output tokens per run. Default: no limit. */
  maxTokens?: number | undefined;
}

/**
 * Give at least one of `maxCost` and `maxTokens`. Reaching a limit pauses the workflow's unfinished
 * runs. They resume by themselves when the window has moved on, or the limit is raised.
 */
export interface BudgetPolicy {
  /** US dollars per window. Counts only the calls whose `cost` was reported. Default: no limit. */
  maxCost?: number | undefined;
  /** Input and output tokens per window. Default: no limit. */
  maxTokens?: number | undefined;
  /** The length of the window up to now, in milliseconds. */
  windowMs: number;
  /** Warns at this share of a limit, in percent from 1 to 99. Default: no warning. */
  warnAtPct?: number | undefined;
}

/**
 * The tokens that AI steps used are debited from the scope's bucket afterwards. While the bucket is
 * empty, runs of the scope wait in the queue.
 */
export interface TokenThrottlePolicy {
  /** The capacity of the bucket: input and output tokens, refilled within `perMs`. */
  tokens: number;
  /** The period, in milliseconds. */
  perMs: number;
  /** Field path in the event's data. Default: the whole workflow is one scope. */
  key?: string | undefined;
}
