/** The name of the program of Chromium without windows. */
export const shell: string;

/** The browser of the tests: CHROMIUM_PATH, else a usual place. Undefined if there is none. */
export function findBrowser(options?: {
  env?: Readonly<Record<string, string | undefined>>;
  /** Whether the headless shell will not do. */
  isWhole?: boolean;
}): string | undefined;
