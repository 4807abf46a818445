import { expect } from 'vitest';
import type { ConsoleTest } from './useConsole.ts';
import { otherTheme, type Visit, type VisitOptions } from './visit.ts';

interface Look extends VisitOptions {
  path: string;
  /** The kind of the key to sign in with; `secret` unless given. */
  key?: 'secret' | 'public' | 'operator';
  /** A text of the page that shows that it has its data. */
  shows: string | RegExp;
  /** Opens what is to be looked at, such as a dialog. */
  before?: (visit: Visit) => Promise<unknown>;
}

/**
 * Looks at a page, wide and narrow, light and dark: axe finds no fault, and the page fits. It is
 * opened in each width, once in either theme; the other theme is then chosen on the open page, as
 * most of what a look costs is to start a tab and to load the console.
 */
export async function looksRight(test: ConsoleTest, { path, key = 'secret', shows, before, ...options }: Look) {
  for (const [width, theme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const)
    await test.visit({ ...options, theme, width }, async (visit) => {
      await visit.openSignedIn(path, test.site.keys[key]);
      await visit.page.locator('main').getByText(shows).filter({ visible: true }).first().waitFor();
      await before?.(visit);
      await visit.settled();
      for (const shown of [theme, otherTheme(theme)]) {
        await visit.choose(shown);
        const found = { axe: await visit.axe(), overflow: await visit.overflow() };
        expect({ path, theme: shown, width, ...found }).toEqual({ path, theme: shown, width, axe: [], overflow: 0 });
      }
    });
}
