/**
 * The flow-control policies of a workflow (2.2). Every policy is off unless given. Times are whole
 * milliseconds, counts are positive integers, money is US dollars.
 *
 * A `key` is a dotted path into the event's data, such as `customer.id`: names of fields, no
 * expression. Each value found there (a string, a number or a boolean) is a scope of its own.
 * Without a key, or where the field is missing or holds anything else, the scope is the whole
 * workflow.
 */
export interface FlowControl {
  /** How many runs execute at once. The rest wait, in order. */
  concurrency?: ConcurrencyPolicy | undefined;
  /** Spreads starts evenly. What comes too fast starts later; nothing is dropped. */
  throttle?: RatePolicy | undefined;
  /**
   * How many runs start in a time. What comes too fast is dropped, and the answer says so
   * (`dropped`).
   */
  rateLimit?: RatePolicy | undefined;
  /** One run for a burst of events: the last, once it has been quiet. */
  debounce?: DebouncePolicy | undefined;
  /** One run for many events, which the handler receives as `events`. */
  batch?: BatchPolicy | undefined;
  /** A better place in the queue. */
  priority?: PriorityPolicy | undefined;
  /** At most one unfinished run. */
  singleton?: SingletonPolicy | undefined;
  /** One run for events that mean the same. */
  idempotency?: IdempotencyPolicy | undefined;
  /** A ceiling on what the AI steps of one run spend. */
  cap?: CapPolicy | undefined;
  /** A ceiling on what the AI steps of all runs of the workflow spend in a window of time. */
  budget?: BudgetPolicy | undefined;
  /** Starts runs no faster than the tokens that they use up are refilled. */
  tokenThrottle?: TokenThrottlePolicy | undefined;
}

/** Runs that only sleep or wait for something hold no place: it is taken while steps execute. */
export interface ConcurrencyPolicy {
  /** Runs that execute at once, in each scope. */
  limit: number;
  /** Dotted path into the event's data. Default: the whole workflow is one scope. */
  key?: string | undefined;
}

/**
 * `limit` in `perMs`. `throttle` starts one run every `perMs / limit`; `rateLimit` lets a burst of
 * `limit` pass.
 */
export interface RatePolicy {
  /** Starts within `perMs`, in each scope. */
  limit: number;
  /** Milliseconds. */
  perMs: number;
  /** Dotted path into the event's data. Default: the whole workflow is one scope. */
  key?: string | undefined;
}

/**
 * Each event of a scope moves the start to `periodMs` from then, and takes the place of the one
 * before.
 */
export interface DebouncePolicy {
  /** Milliseconds without another event. */
  periodMs: number;
  /** Dotted path into the event's data. Default: the whole workflow is one scope. */
  key?: string | undefined;
}

/** Events are gathered until there are `maxSize`, or until the first has waited for `timeoutMs`. */
export interface BatchPolicy {
  /** Events in one run, at most. */
  maxSize: number;
  /** Milliseconds that the first event waits for company. */
  timeoutMs: number;
  /** Dotted path into the event's data. Default: the whole workflow is one scope. */
  key?: string | undefined;
}

export interface PriorityPolicy {
  /** Runs queue as if they had come this many milliseconds earlier; later when negative. */
  shiftMs: number;
}

export interface SingletonPolicy {
  /** Dotted path into the event's data. Default: the whole workflow is one scope. */
  key?: string | undefined;
  /**
   * What happens to a start while a run of the scope is unfinished. `cancel` (the default): that
   * run is cancelled, and the new one starts. `skip`: nothing starts, and the answer says so
   * (`skipped`).
   */
  mode?: 'skip' | 'cancel' | undefined;
}

/**
 * Later events with the same value start nothing, and the answer says so (`deduped`). They are
 * recorded, and wake waiters.
 */
export interface IdempotencyPolicy {
  /**
   * Dotted path into the event's data. Default: all events of the workflow count as the same. So
   * does every event in which the field is missing: look twice at the path.
   */
  key?: string | undefined;
  /** Milliseconds after the first event. Default: 86400000, a day. */
  periodMs?: number | undefined;
}

/**
 * Give at least one. The call that reaches a limit completes; the next AI step is refused before
 * its call is made, and the run fails with a `BudgetError`. AI steps that run side by side are
 * judged together. A replay, and a retry from a step, start at nothing.
 */
export interface CapPolicy {
  /** US dollars per run. Counts only the calls whose `cost` was reported. Default: no limit. */
  maxCost?: number | undefined;
  /** Tokens in and out per run. Default: no limit. */
  maxTokens?: number | undefined;
}

/**
 * Give at least one of `maxCost` and `maxTokens`. When one is crossed, unfinished runs of the
 * workflow are paused, and go on by themselves once the window has moved on or the limit was
 * raised.
 */
export interface BudgetPolicy {
  /** US dollars per window. Counts only the calls whose `cost` was reported. Default: no limit. */
  maxCost?: number | undefined;
  /** Tokens in and out per window. Default: no limit. */
  maxTokens?: number | undefined;
  /** Milliseconds up to now that are looked at. */
  windowMs: number;
  /** Warns at this share of a limit, in percent from 1 to 99. Default: no warning. */
  warnAtPct?: number | undefined;
}

/**
 * What AI steps used is taken from the scope's bucket afterwards; while it is empty, runs of the
 * scope wait in the queue.
 */
export interface TokenThrottlePolicy {
  /** Tokens, in and out, that the bucket holds and that flow back within `perMs`. */
  tokens: number;
  /** Milliseconds. */
  perMs: number;
  /** Dotted path into the event's data. Default: the whole workflow is one scope. */
  key?: string | undefined;
}
