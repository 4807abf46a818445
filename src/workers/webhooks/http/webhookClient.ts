import { Agent } from 'undici';
import { assertAllowedUrl, guardedLookup, type ResolveAll, type TargetRules } from '../../../engine/net/index.ts';
import { type Ending, Exchange } from './exchange.ts';
import { sharedResolver } from './sharedResolver.ts';

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

/** How long a connection is kept without a request, unless the receiver names another time. */
const keepMs = 4_000;

/**
 * Posts deliveries. Follows no redirects, and decompresses nothing. Connections are reused by their
 * origin; the number of requests in flight bounds them.
 */
export class WebhookClient {
  readonly #options: WebhookClientOptions;
  readonly #agent: Agent;

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
    const { rules, timeoutMs } = this.#options;
    return new Promise((resolve) => {
      const exchange = new Exchange(timeoutMs, resolve);
      try {
        const { origin, pathname, search } = assertAllowedUrl(url, rules);
        this.#agent.dispatch({ origin, path: `${pathname}${search}`, method: 'POST', headers, body }, exchange);
      } catch (error) {
        exchange.refuse(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}
