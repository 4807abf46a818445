import type { LookupFunction } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { sharedResolver } from '../../../engine/net/index.ts';

/** The headers of an answer may take this much. */
const maxHeaderBytes = 64 * 1024;

/** How long a connection is kept without a request, unless the provider names another time. */
const keepMs = 4_000;

/** Calls have a shorter limit of their own. It ends attempts whose call has ended. */
const connectMs = 120_000;

/**
 * The connections to providers, reused by their origin. The calls in flight bound them. Follows no
 * redirects, decompresses nothing, and sets no limits to headers and bodies: calls have theirs.
 */
export class Connections {
  readonly #agent: Agent;

  constructor() {
    this.#agent = new Agent({
      pipelining: 1,
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: keepMs,
      keepAliveMaxTimeout: 60_000,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: connectMs, lookup: sharedLookup() },
    });
  }

  dispatch(options: Dispatcher.DispatchOptions & { origin: string }, handler: Dispatcher.DispatchHandler): void {
    this.#agent.dispatch(options, handler);
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Calls that begin together look up their provider's name once. */
function sharedLookup(): LookupFunction {
  const resolve = sharedResolver();
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) callback(error ?? new Error(`${hostname} has no address`), '');
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

let common: Connections | undefined;

/** The connections of the process, for callers without their own. */
export const commonConnections = (): Connections => {
  common ??= new Connections();
  return common;
};
