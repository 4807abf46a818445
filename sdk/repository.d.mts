/** The address for package.json, without credentials. Undefined for a path of this machine. */
export function publicAddress(origin: string): string | undefined;
