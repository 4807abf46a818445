import { Agent } from 'undici';
import { BoundedCache } from '../../../engine/boundedCache.ts';
import {
  assertAllowedUrl,
  guardedLookup,
  type ResolveAll,
  sharedResolver,
  type TargetRules,
} from '../../../engine/net/index.ts';
import { type Ending, Exchange } from './exchange.ts';

export interface WebhookClientOptions {
  /** The addresses that may be called. Checked for every request, because names may move. */
  rules: TargetRules;
  /** The time limit of a request, in all. */
  timeoutMs: number;
  /** Default: the system's resolver. */
  resolveAll?: ResolveAll;
}

export interface Outgoing {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

/** The headers of an answer may take this much. */
const maxHeaderBytes = 16 * 1024;

interface Target {
  origin: string;
  path: string;
}

/** The length of all URLs that are kept parsed. */
const maxKnownChars = 1_000_000;

/** How long a connection is kept without a request, unless the receiver names another time. */
const keepMs = 4_000;

/**
 * Posts deliveries. Follows no redirects, and decompresses nothing. Connections are reused by their
 * origin; the number of requests in flight bounds them.
 */
export class WebhookClient {
  readonly #options: WebhookClientOptions;
  readonly #agent: Agent;
  /** URLs that are allowed as they stand. Their names are checked at each connection. */
  readonly #targets = new BoundedCache<string, Target>(maxKnownChars, (url) => url.length);

  constructor(options: WebhookClientOptions) {
    const { rules, timeoutMs, resolveAll } = options;
    this.#options = options;
    this.#agent = new Agent({
      pipelining: 1,
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: keepMs,
      keepAliveMaxTimeout: 60_000,
      // The exchange has its own limit, which is shorter.
      headersTimeout: timeoutMs * 2,
      bodyTimeout: timeoutMs * 2,
      connect: { lookup: guardedLookup(rules, sharedResolver(resolveAll)), timeout: timeoutMs * 2 },
    });
  }

  /** Posts once. Resolves in every case. */
  send({ url, headers, body }: Outgoing): Promise<Ending> {
    const { timeoutMs } = this.#options;
    return new Promise((resolve) => {
      const exchange = new Exchange(timeoutMs, resolve);
      try {
        this.#agent.dispatch({ ...this.#target(url), method: 'POST', headers, body }, exchange);
      } catch (error) {
        exchange.refuse(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  #target(url: string): Target {
    const known = this.#targets.get(url);
    if (known) return known;
    const { origin, pathname, search } = assertAllowedUrl(url, this.#options.rules);
    const target = { origin, path: `${pathname}${search}` };
    this.#targets.set(url, target);
    return target;
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}
