import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { projectRoot } from '../../support/build.ts';
import type { ConsoleTest } from './useConsole.ts';
import { type Theme, themes, type Visit, type VisitOptions, widths } from './visit.ts';

/** A page in one of its states, and what is there to see. */
export interface Look {
  /** The name of its picture; without one, none is taken. */
  name?: string;
  path: string;
  /** A text of the page that shows that it has its data. */
  shows: string | RegExp;
  /** Opens what is to be looked at, such as a dialog. */
  before?: (visit: Visit) => Promise<unknown>;
}

interface LookOptions extends VisitOptions {
  /** The kind of the key to sign in with; `secret` unless given. */
  key?: 'secret' | 'public' | 'operator';
}

type Dress = readonly [theme: Theme, width: number];

/** Each theme in each width. */
export const dresses: readonly Dress[] = themes.flatMap((theme) => widths.map((width) => [theme, width] as const));

/** Each theme and each width once: enough for states that all pages draw by the same parts. */
export const fewDresses: readonly Dress[] = [
  ['light', 1280],
  ['dark', 390],
];

/** Looks at a page, light and dark, wide and narrow: axe finds no fault, and the page fits. */
export async function looksRight(
  test: ConsoleTest,
  { name, path, shows, before, key, ...options }: Look & LookOptions,
) {
  const look = { path, shows, ...(name && { name }), ...(before && { before }) };
  await lookRight(test, { key: key ?? 'secret', ...options }, [look]);
}

/** Looks at several pages with one key, one after the other. */
export async function lookRight(
  test: ConsoleTest,
  { key = 'secret', ...options }: LookOptions,
  looks: readonly Look[],
): Promise<void> {
  await test.visit({ ...options, keepsKey: true }, async (visit) => {
    await visit.openSignedIn('/p/default/settings', test.site.keys[key]);
    for (const [position, { path, shows, ...look }] of looks.entries()) {
      // Half of the pages are opened in the dark.
      await visit.dress(themes[position % themes.length] ?? 'light', widths[0]);
      await visit.open(path);
      await visit.page.locator('main').getByText(shows).filter({ visible: true }).first().waitFor();
      await look.before?.(visit);
      await visit.settled();
      await fits(visit, look.name ?? path, dresses);
      await takePictures(visit, look.name);
    }
  });
}

/** Checks the open page in some themes and widths, which change in place. */
export async function fits(visit: Visit, name: string, wanted: readonly Dress[]): Promise<void> {
  for (const [theme, width] of wanted) {
    await visit.dress(theme, width);
    const found = { axe: await visit.axe(), overflow: await visit.overflow() };
    expect({ name, theme, width, ...found }).toEqual({ name, theme, width, axe: [], overflow: 0 });
  }
  // A zoom of 200 % leaves a wide screen half of its pixels.
  await visit.dress('light', widths[0] / 2);
  expect({ name, zoomed: await visit.overflow() }).toEqual({ name, zoomed: 0 });
}

/** Pictures are written by `npm run screenshots` only: of all pages, or of those named by it. */
const wanted = process.env['SCREENSHOTS'];
const pictures = join(projectRoot, 'console/screenshots');
const beginnings = wanted && wanted !== 'on' ? wanted.split(',') : [''];

/** Whether the page of this name is to be visited. */
export const isWanted = (name: string): boolean => !wanted || beginnings.some((each) => name.startsWith(each));

export async function takePictures(visit: Visit, name: string | undefined): Promise<void> {
  if (!wanted || name === undefined || !isWanted(name)) return;
  await mkdir(pictures, { recursive: true });
  for (const [theme, width] of dresses) {
    await visit.dress(theme, width);
    await visit.page.screenshot({ path: join(pictures, `${name}-${theme}-${width}.png`) });
  }
}
