import { describe, it } from 'vitest';
import { isWanted, type Look, lookRight } from '../kit/looks.ts';
import { seed, seeded } from '../kit/seed.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';

const unknownId = '0190a000-0000-7000-8000-000000000000';

/** Each page of runs by the name of its picture: its path, and a text of its content. */
const pages: Record<string, Omit<Look, 'name' | 'path'> & { path: () => string }> = {
  runs: { path: () => '/runs', shows: /ship order/ },
  'runs-failed': { path: () => '/runs?status=failed', shows: /charge card/ },
  'runs-none-match': { path: () => '/runs?workflow=nothing', shows: /filter/i },
  'run-succeeded': { path: () => `/runs/${seeded.runs.succeeded}`, shows: /book courier/ },
  'run-logs': { path: () => `/runs/${seeded.runs.succeeded}?tab=logs`, shows: /the label is old/ },
  'run-payloads': { path: () => `/runs/${seeded.runs.succeeded}?tab=payloads`, shows: /Input/ },
  'run-relations': { path: () => `/runs/${seeded.runs.waitingForChild}?tab=relations`, shows: /refund order/ },
  'run-history': { path: () => `/runs/${seeded.runs.succeeded}?tab=history`, shows: /./ },
  'run-step': { path: () => `/runs/${seeded.runs.succeeded}?step=0.1`, shows: /Retry from here/ },
  'run-failed': { path: () => `/runs/${seeded.runs.failed}`, shows: /declined/ },
  'run-attempts': {
    path: () => `/runs/${seeded.runs.retried}`,
    shows: /count pieces/,
    before: async ({ page }) => {
      await page.getByRole('button', { name: '3 attempts of count pieces' }).click();
      await page.getByText('the warehouse answered 503').first().waitFor();
    },
  },
  'run-of-50-steps': { path: () => `/runs/${seeded.runs.manySteps}`, shows: /import row/ },
  'run-part-of-50-steps': { path: () => `/runs/${seeded.runs.manySteps}?range=100-260`, shows: /Whole run/ },
  'run-waiting-for-event': { path: () => `/runs/${seeded.runs.waitingForEvent}`, shows: /payment\.settled/ },
  'run-needs-approval': { path: () => `/runs/${seeded.runs.needsApproval}`, shows: /waits for a decision/ },
  'run-unknown': { path: () => `/runs/${unknownId}`, shows: /No run of this project/ },
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
    path: () => `/runs/compare?a=${seeded.runs.quoted}&b=${unknownId}`,
    shows: /No run of this project/,
  },
};

describe.skipIf(withoutBrowser)('each page of runs', () => {
  const test = useConsole(seed);

  it(
    'shows its content light and dark, wide and narrow, fits, and has no fault that axe finds',
    {
      timeout: 600_000,
    },
    () =>
      lookRight(
        test,
        {},
        Object.entries(pages)
          .filter(([name]) => isWanted(name))
          .map(([name, { path, ...look }]) => ({ name, path: `/p/default${path()}`, ...look })),
      ),
  );
});
