import type { IncomingMessage } from 'node:http';

/**
 * The origins of web pages that may use `/graphql` and sockets. Browsers send a page's origin with
 * `POST` and with upgrades; servers and tools send none.
 */
export class Origins {
  readonly #origins: ReadonlySet<string>;
  readonly #publicHost: string | undefined;

  /** `allowed` are further origins, beside that of the service itself. */
  constructor({ publicUrl, allowed = [] }: { publicUrl?: string | undefined; allowed?: readonly string[] } = {}) {
    this.#origins = originSet(allowed);
    this.#publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host;
  }

  /** Whether a request comes from a page of another site. */
  isForeign({ headers: { origin, host = '' } }: Pick<IncomingMessage, 'headers'>): boolean {
    if (origin === undefined) return false;
    const page = pageOf(origin);
    if (!page) return true;
    const own = hostOf(host, page.protocol)?.host;
    return page.host !== own && page.host !== this.#publicHost && !this.#origins.has(page.origin);
  }
}

export const foreignOrigin = 'the origin of the page is not allowed (CORS_ORIGINS, ALLOWED_ORIGINS)';

/** The origins of a setting, in the spelling of `URL`. A slash at the end is ignored. */
export const originSet = (origins: readonly string[]): ReadonlySet<string> =>
  new Set(origins.map((origin) => pageOf(origin.replace(/\/$/, ''))?.origin ?? origin));

/** The page of an `Origin`; undefined if it is none, or an opaque one such as `null`. */
export function pageOf(origin: string): URL | undefined {
  const match = /^(https?:)\/\/(.+)$/i.exec(origin);
  return match?.[1] && match[2] ? hostOf(match[2], match[1]) : undefined;
}

/**
 * A host with its port; undefined if the text is none. With the protocol of a page, the default
 * port is left out in both.
 */
export function hostOf(text: string, protocol = 'http:'): URL | undefined {
  if (!/^[^\s/?#@\\]+$/.test(text) || !URL.canParse(`${protocol}//${text}`)) return undefined;
  return new URL(`${protocol}//${text}`);
}
