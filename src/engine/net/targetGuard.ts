import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { invalid } from '../errors.ts';
import { hostResolver, type ResolveAll } from './resolveHost.ts';

export interface TargetRules {
  allowPrivate: boolean;
}

/**
 * Checks the URL of a runner or webhook: `http` or `https`, no credentials, a public address unless
 * `allowPrivate`, and in no case a cloud's metadata service. Throws `invalid` naming `field`. Host
 * names are checked when they are resolved, so connect through `guardedLookup`. Call this before
 * every request too: a literal address is never resolved.
 */
export function assertAllowedUrl(url: string, { allowPrivate }: TargetRules, field = 'url'): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:')
    throw invalid(`${field} must be an http or https URL`);
  if (parsed.username !== '' || parsed.password !== '') throw invalid(`${field} must not contain credentials`);
  // Parsing has normalized the host: `0x7f.1`, `2130706433` and full-width digits all read
  // `127.0.0.1`.
  const host = parsed.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (!allowPrivate && isPrivateHost(host)) {
    throw invalid(`${field} must not address a private, loopback or link-local network`);
  }
  if (isMetadataAddress(host)) throw invalid(`${field} must not address the metadata service of a cloud`);
  return parsed;
}

function isPrivateHost(host: string): boolean {
  if (ipaddr.isValid(host)) return !isPublicAddress(host);
  return host === 'localhost' || host.endsWith('.localhost');
}

/**
 * A URL without its query and fragment, which may hold a secret: for logs, and for readers without
 * full access. Other text stays as it is.
 */
export const withoutQuery = (text: string): string => text.replace(/^(https?:\/\/[^?#]*)[?#].*$/is, '$1?…');

/** The error code of a connection that the guard refused. */
export const forbiddenTarget = 'EFORBIDDENTARGET';

/**
 * A `lookup` for sockets and agents that returns only allowed addresses. The check happens at
 * connection time, because DNS may have changed since the URL was stored. Fails with
 * `EFORBIDDENTARGET` if a name has no allowed address.
 */
export function guardedLookup({ allowPrivate }: TargetRules, resolveAll: ResolveAll = hostResolver()): LookupFunction {
  return (hostname, options, callback) => {
    resolveAll(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const allowed = addresses.filter(({ address }) =>
        allowPrivate ? !isMetadataAddress(address) : isPublicAddress(address),
      );
      const [first] = allowed;
      if (!first) return callback(forbidden(hostname), '');
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
}

function forbidden(hostname: string): NodeJS.ErrnoException {
  const error: NodeJS.ErrnoException = new Error(`${hostname} resolves to no allowed address`);
  error.code = forbiddenTarget;
  return error;
}

/**
 * Metadata services, which give credentials of the machine to any program that asks. No runner
 * answers there, so they are refused on private networks too.
 */
const metadataAddresses: ReadonlySet<string> = new Set(
  [
    '169.254.169.254', // AWS, Azure, Google, Oracle, IBM, OpenStack and most others
    '169.254.170.2', // AWS ECS: credentials of tasks
    '169.254.170.23', // AWS EKS: credentials of pods
    'fd00:ec2::254', // AWS over IPv6
    'fd00:ec2::23', // AWS EKS over IPv6
    'fd20:ce::254', // Google over IPv6
    '168.63.129.16', // Azure: the platform endpoint, which looks public
    '100.100.100.200', // Alibaba
    '192.0.0.192', // Oracle Classic
    '169.254.0.23', // Tencent
    '169.254.42.42', // Scaleway
    'fd00:42::42', // Scaleway over IPv6
  ].map((address) => ipaddr.parse(address).toNormalizedString()),
);

/**
 * Whether an address is that of a metadata service. Nearly all forms that carry an IPv4 address in
 * an IPv6 address have it at the end: mapped, NAT64 with any prefix, ISATAP, and the IPv6 addresses
 * of some services. 6to4 has it after the prefix.
 */
function isMetadataAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const bytes = ipaddr.parse(address).toByteArray();
  const carried = [bytes.slice(-4), ...(bytes[0] === 0x20 && bytes[1] === 2 ? [bytes.slice(2, 6)] : [])];
  return [bytes, ...carried].some((each) => metadataAddresses.has(ipaddr.fromByteArray(each).toNormalizedString()));
}

/** IPv6 addresses that embed an IPv4 address (RFC 6052): the embedded address decides. */
const embedding = 'rfc6052';

/**
 * Whether an IP address is public: not private, loopback, link-local, shared, multicast, reserved,
 * or that of a metadata service, also when embedded in IPv6. False for text that is no address.
 */
function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || isMetadataAddress(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.range() === 'unicast';
  const bytes = parsed.toByteArray();
  if (parsed.range() === embedding) return isPublicAddress(ipaddr.fromByteArray(bytes.slice(12)).toString());
  // The library takes two forms for ordinary addresses that some systems route as IPv4: the
  // deprecated ::a.b.c.d, and those of ISATAP.
  const isCompatible = bytes.slice(0, 12).every((byte) => byte === 0);
  return parsed.range() === 'unicast' && !isCompatible && !isIsatap(bytes);
}

/** RFC 5214: any prefix, then `0:5efe` or `200:5efe`, then an IPv4 address. */
const isIsatap = (bytes: readonly number[]): boolean =>
  ((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
