import { HoldfastConnectError } from '../errors.ts';
import { closeCodes } from '../protocol.ts';
import type { SessionEnd } from './session.ts';

/**
 * Reasons that do not go away by dialing again; after `replaced` it would throw the newer
 * connection out.
 */
const fatalCodes = new Set<number>([
  closeCodes.replaced,
  closeCodes.malformed,
  closeCodes.badKey,
  closeCodes.publicKey,
  closeCodes.protocolVersion,
]);
const fatalStatuses = new Set([400, 401, 403]);
/** Refusals that say "not now". */
const passingStatuses = new Set([408, 425, 429]);
/**
 * How often an address that has never led to the service may say that there is none. A proxy that
 * just started may err.
 */
const missLimit = 6;

const refusals: Record<number, string> = {
  400: 'the service refused the connection as malformed',
  401: 'the service does not know this API key',
  403: 'a runner needs a secret API key; this key may not connect',
  [closeCodes.malformed]: 'the service refused what this runner said',
  [closeCodes.badKey]: 'the service does not know this API key (any more)',
  [closeCodes.publicKey]: 'a runner needs a secret API key; this one is public',
  [closeCodes.replaced]: 'another runner connected under the same id and took this one’s place',
  [closeCodes.protocolVersion]: 'this version of @holdfast/sdk and the service speak different protocol versions',
};

/** The end of a connection that no other dial can mend; undefined for any other. */
export function fatalError({ code, reason, status }: SessionEnd): HoldfastConnectError | undefined {
  const isFatal = status === undefined ? fatalCodes.has(code) : fatalStatuses.has(status);
  if (!isFatal) return undefined;
  const said = reason === '' ? '' : `: ${reason}`;
  return new HoldfastConnectError(status ?? code, `${refusals[status ?? code]}${said}`);
}

/**
 * Something answered, and it was neither the service nor a proxy before it: nobody takes runners at
 * this path.
 */
export function isNoService({ status }: SessionEnd): boolean {
  return status !== undefined && status < 500 && !passingStatuses.has(status);
}

/**
 * What to say once the address has said so `misses` times in a row; undefined while it may be asked
 * again.
 */
export function noServiceError(
  url: string,
  { reason, status }: SessionEnd,
  misses: number,
): HoldfastConnectError | undefined {
  if (status === undefined || misses < missLimit) return undefined;
  return new HoldfastConnectError(
    status,
    `no service takes runners at ${url}: it answered ${reason}, ${misses} times. Is baseUrl (or HOLDFAST_URL) right?`,
  );
}
