import type { IncomingMessage } from 'node:http';
import { HttpError, hostOf, originSet, pageOf } from '../../http/index.ts';

interface Options {
  /** The address that the server listens on. */
  host: string;
  publicUrl: string | undefined;
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
}

const loopback: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const anyAddress: readonly string[] = ['0.0.0.0', '[::]'];

/**
 * Checks the host that a request names, and the page that it comes from. A stranger's page can make
 * its own name resolve to this address, and would then act with what the browser may reach.
 */
export class AllowedPages {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #publicOrigin: string | undefined;
  readonly #listensOnAll: boolean;

  constructor({ host, publicUrl, allowedHosts, allowedOrigins }: Options) {
    const listening = plainName(host);
    this.#listensOnAll = anyAddress.includes(listening);
    const isLoopback = loopback.includes(listening) || listening.startsWith('127.') || this.#listensOnAll;
    this.#hosts = new Set([
      ...(this.#listensOnAll ? [] : [listening]),
      ...(isLoopback ? loopback : []),
      ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
      ...allowedHosts.map(plainName),
    ]);
    this.#publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
    this.#origins = originSet(allowedOrigins);
  }

  /**
   * Throws `403` for a host or a page that is not allowed. Returns the page's origin if it needs
   * CORS. `X-Forwarded-Host` counts for nothing.
   */
  admit({ headers: { host = '', origin }, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string | undefined {
    const own = hostOf(host);
    if (!own || !this.#isAllowed(own.hostname, socket.localAddress)) throw new HttpError(403, 'host not allowed');
    if (origin === undefined) return undefined;
    const page = pageOf(origin);
    if (!page) throw new HttpError(403, 'origin not allowed');
    if (page.origin === this.#publicOrigin || page.host === hostOf(host, page.protocol)?.host) return undefined;
    if (this.#origins.has(page.origin)) return origin;
    throw new HttpError(403, 'origin not allowed');
  }

  #isAllowed(name: string, localAddress: string | undefined): boolean {
    if (this.#hosts.has(name)) return true;
    // A server that listens on every address is reached by each of them.
    return this.#listensOnAll && localAddress !== undefined && name === plainName(localAddress);
  }
}

/** The spelling of a host's name that `URL` gives: lower case, addresses in their short form. */
function plainName(host: string): string {
  const address = host.replace(/^::ffff:(?=[\d.]+$)/i, '');
  const bracketed = address.includes(':') && !address.startsWith('[') ? `[${address}]` : address;
  return hostOf(bracketed)?.hostname ?? bracketed.toLowerCase();
}
