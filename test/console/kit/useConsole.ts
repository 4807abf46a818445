import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { findBrowser } from '../../../scripts/findBrowser.mjs';
import { buildConsole, ConsoleSite } from './consoleSite.ts';
import { Visit, type VisitOptions } from './visit.ts';

const executablePath = findBrowser();

/**
 * Whether browser tests are skipped: without a Chromium, except in CI, where they fail. `npm run
 * setup:browser` installs one.
 */
export const withoutBrowser = executablePath === undefined && !process.env['CI'];

/** The built console on a service of its own, and a browser, for the tests of a file. */
export interface ConsoleTest {
  readonly site: ConsoleSite;
  readonly browser: Browser;
  /** Begins a visit, uses it, and checks what must hold on every page. */
  visit(use: (visit: Visit) => Promise<void>): Promise<void>;
  visit(options: VisitOptions, use: (visit: Visit) => Promise<void>): Promise<void>;
}

/**
 * Starts a service with the console, and a browser. `seed` fills the project. Available when the
 * hooks and tests of the file run.
 */
export function useConsole(seed?: (site: ConsoleSite) => Promise<void>): ConsoleTest {
  let site: ConsoleSite | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (executablePath === undefined) throw new Error('there is no Chromium: run npm run setup:browser');
    buildConsole();
    [site, browser] = await Promise.all([ConsoleSite.open(), launch(executablePath)]);
    await seed?.(site);
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  }, 60_000);
  const there = <T>(thing: T | undefined): T => {
    if (thing === undefined) throw new Error('the console is there in hooks and in tests');
    return thing;
  };
  return {
    get site() {
      return there(site);
    },
    get browser() {
      return there(browser);
    },
    async visit(first: VisitOptions | ((visit: Visit) => Promise<void>), second?: (visit: Visit) => Promise<void>) {
      const [options, use] = typeof first === 'function' ? [{}, first] : [first, second];
      const visit = await Visit.begin(there(browser), there(site), options);
      try {
        await use?.(visit);
      } catch (error) {
        await visit.context.close();
        throw error;
      }
      await visit.finish();
    },
  };
}

/** A browser for tests of other pages than those of the console. */
export function useBrowser(): { readonly browser: Browser } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (executablePath === undefined) throw new Error('there is no Chromium: run npm run setup:browser');
    browser = await launch(executablePath);
  }, 300_000);
  afterAll(() => browser?.close(), 60_000);
  return {
    get browser() {
      if (browser === undefined) throw new Error('the browser is there in hooks and in tests');
      return browser;
    },
  };
}

/** Containers seldom let a process make the namespaces of the sandbox. */
const launch = (path: string): Promise<Browser> =>
  chromium.launch({ executablePath: path, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
