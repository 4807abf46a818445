import { expect } from 'vitest';
import type { ConsoleTest } from './useConsole.ts';
import { themes, type Visit, type VisitOptions, widths } from './visit.ts';

interface Look extends VisitOptions {
  path: string;
  /** The kind of the key to sign in with; `secret` unless given. */
  key?: 'secret' | 'public' | 'operator';
  /** A text of the page that shows that it has its data. */
  shows: string | RegExp;
  /** Opens what is to be looked at, such as a dialog. */
  before?: (visit: Visit) => Promise<unknown>;
}

/** Looks at a page, light and dark, wide and narrow: axe finds no fault, and the page fits. */
export async function looksRight(test: ConsoleTest, { path, key = 'secret', shows, before, ...options }: Look) {
  for (const theme of themes)
    for (const width of widths)
      await test.visit({ ...options, theme, width }, async (visit) => {
        await visit.openSignedIn(path, test.site.keys[key]);
        await visit.page.locator('main').getByText(shows).filter({ visible: true }).first().waitFor();
        await before?.(visit);
        await visit.settled();
        const found = { axe: await visit.axe(), overflow: await visit.overflow() };
        expect({ path, theme, width, ...found }).toEqual({ path, theme, width, axe: [], overflow: 0 });
      });
}
