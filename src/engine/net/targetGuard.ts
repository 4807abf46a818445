import { type LookupAddress, type LookupOptions, lookup as resolve } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { invalid } from '../errors.ts';

export interface TargetRules {
  allowPrivate: boolean;
}

/**
 * Checks the URL of a runner or webhook: `http` or `https`, no credentials, and a public address
 * unless `allowPrivate`. Throws `invalid` naming `field`. Host names are checked when they are
 * resolved, so connect through `guardedLookup`. Call this before every request too: a literal
 * address is never resolved.
 */
export function assertAllowedUrl(url: string, { allowPrivate }: TargetRules, field = 'url'): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:')
    throw invalid(`${field} must be an http or https URL`);
  if (parsed.username !== '' || parsed.password !== '') throw invalid(`${field} must not contain credentials`);
  if (!allowPrivate && isPrivateHost(parsed.hostname)) {
    throw invalid(`${field} must not address a private, loopback or link-local network`);
  }
  return parsed;
}

/**
 * URL parsing has normalized the host: `0x7f.1`, `2130706433` and full-width digits all read
 * `127.0.0.1`.
 */
function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (ipaddr.isValid(host)) return !isPublicAddress(host);
  return host === 'localhost' || host.endsWith('.localhost');
}

/** The error code of a connection that the guard refused. */
export const forbiddenTarget = 'EFORBIDDENTARGET';

/**
 * A `lookup` for sockets and agents that returns only allowed addresses. The check happens at
 * connection time, because DNS may have changed since the URL was stored. Fails with
 * `EFORBIDDENTARGET` if a name has no allowed address.
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

/** Resolves a name to all of its addresses; replaces `dns.lookup`. */
export type ResolveAll = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const resolveHost: ResolveAll = (hostname, options, callback) => resolve(hostname, options, callback);

function forbidden(hostname: string): NodeJS.ErrnoException {
  const error: NodeJS.ErrnoException = new Error(`${hostname} resolves to no allowed address`);
  error.code = forbiddenTarget;
  return error;
}

/** Addresses that look public but belong to the cloud: Azure's platform endpoint. */
const platformAddresses: ReadonlySet<string> = new Set(['168.63.129.16']);

/** IPv6 addresses that embed an IPv4 address (RFC 6052): the embedded address decides. */
const embedding = 'rfc6052';

/**
 * Whether an IP address is public: not private, loopback, link-local (cloud metadata), shared,
 * multicast or reserved, also when embedded in IPv6. False for text that is no address.
 */
function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.range() === 'unicast' && !platformAddresses.has(parsed.toString());
  const bytes = parsed.toByteArray();
  if (parsed.range() === embedding) return isPublicAddress(ipaddr.fromByteArray(bytes.slice(12)).toString());
  // The library takes the deprecated form ::a.b.c.d for an ordinary address, but some systems route
  // it as IPv4.
  const isCompatible = bytes.slice(0, 12).every((byte) => byte === 0);
  return parsed.range() === 'unicast' && !isCompatible;
}
