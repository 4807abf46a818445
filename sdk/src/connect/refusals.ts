import { HoldfastConnectError } from '../errors.ts';
import { closeCodes } from '../protocol.ts';
import type { SessionEnd } from './session.ts';

/**
 * Close codes after which dialing again is useless. After `replaced`, it would displace the newer
 * connection.
 */
const fatalCodes = new Set<number>([
  closeCodes.replaced,
  closeCodes.malformed,
  closeCodes.badKey,
  closeCodes.publicKey,
  closeCodes.protocolVersion,
]);
const fatalStatuses = new Set([400, 401, 403]);
const passingStatuses = new Set([408, 425, 429]);
/**
 * How often a new address may answer like a server without runners. A proxy that has just started
 * may do so by mistake.
 */
const missLimit = 6;

const refusals: Record<number, string> = {
  400: 'the service refused the connection as malformed',
  401: 'the service does not know this API key',
  403: 'a runner needs a secret API key; this key may not connect',
  [closeCodes.malformed]: 'the service refused a frame of this runner as malformed',
  [closeCodes.badKey]: 'the service does not know this API key (any more)',
  [closeCodes.publicKey]: 'a runner needs a secret API key; this one is public',
  [closeCodes.replaced]: 'another runner connected under the same id and replaced this one',
  [closeCodes.protocolVersion]: 'this version of @holdfast/sdk and the service speak different protocol versions',
};

/** The error of a permanent refusal; undefined if another dial may succeed. */
export function fatalError({ code, reason, status }: SessionEnd): HoldfastConnectError | undefined {
  const isFatal = status === undefined ? fatalCodes.has(code) : fatalStatuses.has(status);
  if (!isFatal) return undefined;
  const detail = reason === '' ? '' : `: ${reason}`;
  return new HoldfastConnectError(status ?? code, `${refusals[status ?? code]}${detail}`);
}

/** Whether the server that answered takes no runners at this path. */
export function isNoService({ status }: SessionEnd): boolean {
  return status !== undefined && status < 500 && !passingStatuses.has(status);
}

/** The error after `misses` such answers in a row; undefined while another dial is allowed. */
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
