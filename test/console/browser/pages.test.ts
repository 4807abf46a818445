import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../support/build.ts';
import { seed, seeded } from '../kit/seed.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';
import { otherTheme, themes, type Visit, widths } from '../kit/visit.ts';

/** Each page by the name of its picture: its path in the project, and a text of its content. */
const pages: Record<string, { path: () => string; shows: RegExp }> = {
  overview: { path: () => '/?range=24h', shows: /charge card/ },
  runs: { path: () => '/runs', shows: /ship order/ },
  'runs-failed': { path: () => '/runs?status=failed', shows: /charge card/ },
  'runs-none-match': { path: () => '/runs?workflow=nothing', shows: /filter/i },
  'run-succeeded': { path: () => `/runs/${seeded.runs.succeeded}`, shows: /book courier/ },
  'run-logs': { path: () => `/runs/${seeded.runs.succeeded}?tab=logs`, shows: /the label is old/ },
  'run-payloads': { path: () => `/runs/${seeded.runs.succeeded}?tab=payloads`, shows: /Input/ },
  'run-relations': { path: () => `/runs/${seeded.runs.waitingForChild}?tab=relations`, shows: /refund order/ },
  'run-history': { path: () => `/runs/${seeded.runs.succeeded}?tab=history`, shows: /./ },
  'run-failed': { path: () => `/runs/${seeded.runs.failed}`, shows: /declined/ },
  'run-of-50-steps': { path: () => `/runs/${seeded.runs.manySteps}`, shows: /import row/ },
  'run-waiting-for-event': { path: () => `/runs/${seeded.runs.waitingForEvent}`, shows: /payment\.settled/ },
  'run-needs-approval': { path: () => `/runs/${seeded.runs.needsApproval}`, shows: /waits for a decision/ },
  'run-unknown': { path: () => '/runs/0190a000-0000-7000-8000-000000000000', shows: /No run of this project/ },
  compare: {
    path: () => `/runs/compare?a=${seeded.runs.quotedAgain}`,
    shows: /The runs part at step 6, “ask rate”: its output differs/,
  },
  'compare-other-workflow': {
    path: () => `/runs/compare?a=${seeded.runs.succeeded}&b=${seeded.runs.failed}`,
    shows: /The runs part at step 1/,
  },
  'compare-input': {
    path: () => `/runs/compare?a=${seeded.runs.quotedAgain}&b=${seeded.runs.quoted}&open=input&closed=1`,
    shows: /The input is the same in both runs/,
  },
  'compare-unfinished': {
    path: () => `/runs/compare?a=${seeded.runs.waitingForEvent}&b=${seeded.runs.sleeping}`,
    shows: /have not parted so far/,
  },
  'compare-same': {
    path: () => `/runs/compare?a=${seeded.runs.quotedAgain}&b=${seeded.runs.quotedAgain}`,
    shows: /Both are the same run/,
  },
  'compare-choose': { path: () => `/runs/compare?a=${seeded.runs.quoted}`, shows: /Replay …/ },
  'compare-none': { path: () => '/runs/compare', shows: /Which runs/ },
  'compare-unknown': {
    path: () => `/runs/compare?a=${seeded.runs.quoted}&b=0190a000-0000-7000-8000-000000000000`,
    shows: /No run of this project/,
  },
  approvals: { path: () => '/approvals?open=1', shows: /Pay 120\.00/ },
};

/** Pictures are written by `npm run screenshots` only: of all pages, or of those named by it. */
const wanted = process.env['SCREENSHOTS'];
const pictures = wanted ? join(projectRoot, 'console/screenshots') : undefined;
const beginnings = wanted && wanted !== 'on' ? wanted.split(',') : [''];
const visited = Object.entries(pages).filter(([name]) => beginnings.some((each) => name.startsWith(each)));

describe.skipIf(withoutBrowser)('each page of the console', () => {
  const test = useConsole(seed);

  async function picture(visit: Visit, name: string): Promise<void> {
    if (pictures === undefined) return;
    await mkdir(pictures, { recursive: true });
    await visit.page.screenshot({ path: join(pictures, `${name}.png`) });
  }

  // Each page is opened in each width. The themes differ in colours only: they change in place.
  it.each(widths)(
    'shows its content at %i px, light and dark, fits, and has no fault that axe finds',
    { timeout: 300_000 },
    (width) =>
      test.visit({ width, keepsKey: true }, async (visit) => {
        await visit.openSignedIn();
        for (const [position, [name, { path, shows }]] of visited.entries()) {
          const theme = themes[position % themes.length] ?? 'light';
          await visit.choose(theme);
          await visit.open(`/p/default${path()}`);
          await visit.page.locator('main').getByText(shows).filter({ visible: true }).first().waitFor();
          await visit.settled();
          for (const shown of [theme, otherTheme(theme)]) {
            await visit.choose(shown);
            await picture(visit, `${name}-${shown}-${width}`);
            const found = { axe: await visit.axe(), overflow: await visit.overflow() };
            expect({ name, shown, ...found }).toEqual({ name, shown, axe: [], overflow: 0 });
          }
        }
      }),
  );
});
