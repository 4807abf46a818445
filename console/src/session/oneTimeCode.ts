import type { Credentials } from '../data/credentials.ts';
import { RequestError } from '../data/requestError.ts';

/**
 * Takes the one-time code out of the address (`#code=…`), which `holdfast console` opens. It is
 * removed before anything else happens.
 */
export function takeCode(): string | undefined {
  const found = new URLSearchParams(location.hash.slice(1)).get('code');
  if (found !== null) history.replaceState(history.state, '', location.pathname + location.search);
  return found || undefined;
}

/** Exchanges a code for the key. A code works once, for a minute. */
export async function exchangeCode(code: string): Promise<Credentials> {
  const response = await fetch('/console/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
    credentials: 'omit',
  });
  if (!response.ok) {
    throw new RequestError('UNAUTHENTICATED', 'The code of this address was used already, or is older than a minute.');
  }
  const { key, project } = (await response.json()) as { key: string; project?: string | null };
  return { key, project: project ?? undefined };
}
