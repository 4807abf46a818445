import type { IncomingMessage } from 'node:http';
import { HttpError } from '../../http/index.ts';

interface Options {
  /** The address that the server listens on. */
  host: string;
  publicUrl: string | undefined;
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
}

const loopback: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const anyAddress: readonly string[] = ['0.0.0.0', '::', '[::]'];

/**
 * Checks by which name and from which page a request comes. A page of a stranger can make its name
 * lead to this address, and would then act with what the browser may reach.
 */
export class AllowedPages {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #listensOnAll: boolean;

  constructor({ host, publicUrl, allowedHosts, allowedOrigins }: Options) {
    const listening = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
    this.#listensOnAll = anyAddress.includes(host);
    const isLoopback = loopback.includes(listening) || listening.startsWith('127.') || this.#listensOnAll;
    this.#hosts = new Set(
      [
        ...(this.#listensOnAll ? [] : [listening]),
        ...(isLoopback ? loopback : []),
        ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
        ...allowedHosts,
      ].map((name) => name.toLowerCase()),
    );
    this.#origins = new Set(allowedOrigins.map((origin) => origin.replace(/\/$/, '').toLowerCase()));
  }

  /**
   * Throws `403` for a name or a page that is not allowed. Returns the page's origin if it needs
   * CORS. `X-Forwarded-Host` counts for nothing.
   */
  admit({ headers, socket }: IncomingMessage): string | undefined {
    const host = hostOf(headers.host ?? '');
    if (!host || !this.#isAllowed(host.hostname, socket.localAddress)) throw new HttpError(403, 'host not allowed');
    const { origin } = headers;
    if (origin === undefined) return undefined;
    const page = hostOf(origin.replace(/^https?:\/\//, ''));
    if (/^https?:\/\//.test(origin) && page?.host === host.host) return undefined;
    if (this.#origins.has(origin.toLowerCase())) return origin;
    throw new HttpError(403, 'origin not allowed');
  }

  #isAllowed(name: string, localAddress: string | undefined): boolean {
    if (this.#hosts.has(name)) return true;
    // A server that listens on every address is reached by each of them.
    return this.#listensOnAll && localAddress !== undefined && name === bracketed(localAddress);
  }
}

const bracketed = (address: string): string => {
  const plain = address.replace(/^::ffff:/, '');
  return plain.includes(':') ? `[${plain}]` : plain;
};

/** A host with its port, in lower case; undefined if it is none. */
function hostOf(text: string): URL | undefined {
  if (!/^[^\s/?#@\\]+$/.test(text) || !URL.canParse(`http://${text}`)) return undefined;
  return new URL(`http://${text}`);
}
