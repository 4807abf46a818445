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
    this.#origins = new Set(allowed.map((origin) => parse(origin)?.origin ?? origin));
    this.#publicHost = publicUrl === undefined ? undefined : parse(publicUrl)?.host;
  }

  /** Whether a request comes from a page of another site. */
  isForeign({ headers: { origin, host = '' } }: Pick<IncomingMessage, 'headers'>): boolean {
    if (origin === undefined) return false;
    const page = parse(origin);
    if (!page) return true;
    // With the scheme of the page, the default port is left out in both.
    const own = parse(`${page.protocol}//${host}`)?.host;
    return page.host !== own && page.host !== this.#publicHost && !this.#origins.has(page.origin);
  }
}

export const foreignOrigin = 'the origin of the page is not allowed (ALLOWED_ORIGINS)';

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}
