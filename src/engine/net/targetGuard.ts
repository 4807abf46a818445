import { type LookupAddress, type LookupOptions, lookup as resolve } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { invalid } from '../errors.ts';

export interface TargetRules {
  /** Whether private, loopback and link-local addresses may be called. */
  allowPrivate: boolean;
}

/**
 * Checks the URL of a runner or webhook: `http` or `https`, no credentials, and no address off the
 * public internet unless `allowPrivate`. Throws `invalid` naming `field`. A host name is judged
 * when it is resolved: connect through `guardedLookup`, and call this before every request too,
 * since connecting to a literal address resolves nothing.
 */
export function assertAllowedUrl(url: string, { allowPrivate }: TargetRules, field = 'url'): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:')
    throw invalid(`${field} must be an http or https URL`);
  if (parsed.username !== '' || parsed.password !== '') throw invalid(`${field} must not hold credentials`);
  if (!allowPrivate && isPrivateHost(parsed.hostname)) {
    throw invalid(`${field} must not address a private, loopback or link-local network`);
  }
  return parsed;
}

/**
 * URL parsing has normalised the host already: `0x7f.1`, `2130706433` and full-width digits all
 * read `127.0.0.1`.
 */
function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (ipaddr.isValid(host)) return !isPublicAddress(host);
  return host === 'localhost' || host.endsWith('.localhost');
}

/** The error code of a connection that the guard refused. */
export const forbiddenTarget = 'EFORBIDDENTARGET';

/**
 * A `lookup` for sockets and agents that resolves names to allowed addresses only, at the moment of
 * connecting: whatever DNS said when the URL was saved. Fails with code `EFORBIDDENTARGET` where
 * none of a name's addresses is allowed.
 */
export function guardedLookup({ allowPrivate }: TargetRules, resolveAll: ResolveAll = resolveHost): LookupFunction {
  return (hostname, options, callback) => {
    resolveAll(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const allowed = allowPrivate ? addresses : addresses.filter(({ address }) => isPublicAddress(address));
      const [first] = allowed;
      if (!first) return callback(forbidden(hostname), '');
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
}

/** Resolves a name to all of its addresses; stands for `dns.lookup`. */
export type ResolveAll = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const resolveHost: ResolveAll = (hostname, options, callback) => resolve(hostname, options, callback);

function forbidden(hostname: string): NodeJS.ErrnoException {
  const error: NodeJS.ErrnoException = new Error(`${hostname} resolves to no address that may be called`);
  error.code = forbiddenTarget;
  return error;
}

/** Addresses that look public but are the cloud's own: Azure's platform endpoint. */
const platformAddresses: ReadonlySet<string> = new Set(['168.63.129.16']);

/** Where IPv6-only networks embed IPv4 addresses (RFC 6052): what counts is the address inside. */
const embedding = 'rfc6052';

/**
 * Whether an IP address is one of the public internet: not private, loopback, link-local (cloud
 * metadata), shared, multicast, reserved, nor any of these in the guise of IPv6. Text that is no
 * address is not.
 */
function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.range() === 'unicast' && !platformAddresses.has(parsed.toString());
  const bytes = parsed.toByteArray();
  if (parsed.range() === embedding) return isPublicAddress(ipaddr.fromByteArray(bytes.slice(12)).toString());
  // ::a.b.c.d, deprecated long since, is taken for an ordinary address by the library; some systems
  // route it as IPv4.
  const isCompatible = bytes.slice(0, 12).every((byte) => byte === 0);
  return parsed.range() === 'unicast' && !isCompatible;
}
