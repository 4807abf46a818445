import ipaddr from 'ipaddr.js';

/** Addresses that look public but are the cloud's own: Azure's platform endpoint. */
const platformAddresses: ReadonlySet<string> = new Set(['168.63.129.16']);

/** Where IPv6-only networks embed IPv4 addresses (RFC 6052): what counts is the address inside. */
const embedding = 'rfc6052';

/**
 * Whether an IP address is one of the public internet: not private, loopback, link-local (cloud metadata), shared,
 * multicast, reserved, nor any of these in the guise of IPv6. Text that is no address is not.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.range() === 'unicast' && !platformAddresses.has(parsed.toString());
  const bytes = parsed.toByteArray();
  if (parsed.range() === embedding) return isPublicAddress(ipaddr.fromByteArray(bytes.slice(12)).toString());
  // ::a.b.c.d, deprecated long since, is taken for an ordinary address by the library; some systems route it as IPv4.
  const isCompatible = bytes.slice(0, 12).every((byte) => byte === 0);
  return parsed.range() === 'unicast' && !isCompatible;
}
