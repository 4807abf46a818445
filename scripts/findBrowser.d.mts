/** The browser of the tests: CHROMIUM_PATH, else a usual place. Undefined if there is none. */
export function findBrowser(env?: Readonly<Record<string, string | undefined>>): string | undefined;
