import type { EngineContext } from './context.ts';
import { errorCode, isTransient } from './db/index.ts';
import { busy, HoldfastError } from './errors.ts';
import { perEngine } from './perEngine.ts';

/** The text for callers while the database cannot serve them. */
export const databaseIsAway = 'the database cannot answer now: retry';

/**
 * The error as callers may see it: `busy` while the database is away or has no free connection. A
 * write may have been committed, as after any lost connection. Undefined for faults.
 */
export const shownError = (error: unknown): HoldfastError | undefined => {
  if (error instanceof HoldfastError) return error;
  return isTransient(error) ? busy(databaseIsAway) : undefined;
};

/** At most one line of this log in this time, in ms. */
const restMs = 1_000;

/** Counts requests that failed for want of the database. */
class Outages {
  readonly #ctx: EngineContext;
  #requests = 0;
  #last: unknown;
  #resting: NodeJS.Timeout | undefined;

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
  }

  note(error: unknown): void {
    this.#requests += 1;
    this.#last = error;
    if (!this.#resting) this.#write();
  }

  #write(): void {
    if (this.#requests === 0) return;
    const reason = this.#last instanceof Error ? this.#last.message : String(this.#last);
    const code = errorCode(this.#last) || undefined;
    this.#ctx.log.error({ requests: this.#requests, reason, code }, 'requests failed: the database cannot answer');
    this.#requests = 0;
    this.#resting = setTimeout(() => {
      this.#resting = undefined;
      this.#write();
    }, restMs).unref();
  }
}

const outagesOf = perEngine((ctx) => new Outages(ctx));

/**
 * Counts a request that failed because of the database, if this error says so. An outage concerns
 * all requests, so it has one line a second, with a count and without stacks.
 */
export function noteOutage(ctx: EngineContext, error: unknown): void {
  if (isTransient(error)) outagesOf(ctx).note(error);
}

/** Logs an error whose text the caller does not see. An outage is logged by `noteOutage`. */
export function logHidden(ctx: EngineContext, error: unknown, text: string): void {
  if (isTransient(error)) noteOutage(ctx, error);
  else ctx.log.error({ err: error }, text);
}
