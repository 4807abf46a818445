import { type LookupAddress, type LookupOptions, lookup, Resolver } from 'node:dns';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';

/** Resolves a name to all of its addresses; replaces `dns.lookup`. */
export type ResolveAll = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A name whose servers are silent fails after about 4 s. */
const patience = { timeout: 1_000, tries: 2 };

const hostsFile = '/etc/hosts';

export interface HostResolverOptions {
  /** Asks the servers of the system without a thread. */
  resolver?: Resolver;
  /** The system's own way, which occupies one of few threads until it answers. */
  system?: ResolveAll;
  hostsFile?: string;
}

/** Errors after which the system may still know the name: search domains, other sources. */
const unknown: ReadonlySet<string | undefined> = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'EBADNAME']);

/**
 * Resolves names without the few threads of the runtime, so that names whose servers are silent do
 * not delay others. Names without a dot and names of the hosts file go the system's way, and so do
 * names that the servers do not know: these answer soon.
 */
export function hostResolver(options: HostResolverOptions = {}): ResolveAll {
  const { resolver = new Resolver(patience), system = systemLookup, hostsFile: file = hostsFile } = options;
  return (hostname, lookupOptions, callback) => {
    const name = hostname.replace(/\.$/, '').toLowerCase();
    const isOfSystem = isIP(name) !== 0 || !name.includes('.') || name.endsWith('.localhost') || isIn(file, name);
    if (isOfSystem || process.platform === 'win32') return system(hostname, lookupOptions, callback);
    askServers(resolver, { name, family: familyOf(lookupOptions.family) }, (error, addresses) => {
      if (addresses.length > 0) return callback(null, addresses);
      if (error && !unknown.has(error.code)) return callback(error, []);
      system(hostname, lookupOptions, callback);
    });
  };
}

const systemLookup: ResolveAll = (hostname, options, callback) => lookup(hostname, options, callback);

const familyOf = (family: number | 'IPv4' | 'IPv6' | undefined): number =>
  family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : (family ?? 0);

type Answer = (error: NodeJS.ErrnoException | undefined, addresses: LookupAddress[]) => void;

/** IPv4 addresses come first. An error is given only if no address is known. */
function askServers(resolver: Resolver, { name, family }: { name: string; family: number }, done: Answer): void {
  const families = family === 0 ? [4, 6] : [family];
  const found = new Map<number, LookupAddress[]>();
  let failure: NodeJS.ErrnoException | undefined;
  const take = (of: number, error: NodeJS.ErrnoException | null, addresses: readonly string[] = []): void => {
    found.set(of, error ? [] : addresses.map((address) => ({ address, family: of })));
    // Silence outweighs the answer that there is no such address.
    if (error && (!failure || unknown.has(failure.code))) failure = error;
    if (found.size === families.length)
      done(
        failure,
        families.flatMap((each) => found.get(each) ?? []),
      );
  };
  for (const each of families) {
    if (each === 4) resolver.resolve4(name, (error, addresses) => take(4, error, addresses));
    else resolver.resolve6(name, (error, addresses) => take(6, error, addresses));
  }
}

/** Whether a hosts file names a host. It is small, and a connection costs more than reading it. */
function isIn(file: string, name: string): boolean {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .some((line) => (line.split('#', 1)[0] ?? '').toLowerCase().trim().split(/\s+/).slice(1).includes(name));
  } catch {
    return false;
  }
}
