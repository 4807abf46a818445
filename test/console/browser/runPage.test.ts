import { describe, expect, it } from 'vitest';
import { seed, seeded } from '../kit/seed.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';

describe.skipIf(withoutBrowser)('the page of a run', { timeout: 120_000 }, () => {
  const test = useConsole(seed);
  const path = (id: string): string => `/p/default/runs/${id}`;

  it('opens a step as a sheet on a phone, which Escape closes, and the focus returns', () =>
    test.visit({ width: 390 }, async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path(seeded.runs.succeeded));
      await page.getByRole('button', { name: /book courier/ }).click();
      const sheet = page.getByRole('dialog', { name: 'book courier' });
      await sheet.getByText('Output').waitFor();
      expect(new URL(page.url()).searchParams.get('step')).toBe('2.1');
      await page.keyboard.press('Escape');
      await sheet.waitFor({ state: 'detached' });
      expect(new URL(page.url()).searchParams.get('step')).toBeNull();
      await page
        .getByRole('button', { name: /book courier/ })
        .and(page.locator(':focus'))
        .waitFor();
    }));

  it('asks above the sheet before it retries from a step', () =>
    test.visit({ width: 390 }, async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(`${path(seeded.runs.succeeded)}?step=2.1`);
      await page.getByRole('button', { name: 'Retry from here' }).click();
      await page
        .getByRole('dialog', { name: /^Retry from/ })
        .getByRole('button', { name: 'Do not retry' })
        .click();
      await page.getByRole('dialog', { name: 'book courier' }).waitFor();
    }));

  it('shows a step beside the timeline on a wide screen, with the log lines of the attempt', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path(seeded.runs.succeeded));
      await page.getByRole('button', { name: /^Succeeded pack/ }).click();
      const lines = page.getByRole('region', { name: 'Log lines of the step' });
      await lines.getByText('weighed').waitFor();
      expect(await lines.getByText('the label is old').count()).toBe(0);
      await lines.getByRole('button', { name: 'All lines' }).click();
      await page.getByRole('log').getByText('weighed').waitFor();
      expect(new URL(page.url()).searchParams.get('scope')).toBe('pack');
    }));

  it('unfolds the steps of a child below the step that runs it, and leads to them', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path(seeded.runs.waitingForChild));
      const unfold = page.getByRole('button', { name: 'Steps of the child of refunds' });
      await unfold.click();
      await page.getByRole('button', { name: 'Steps of the child of refunds', expanded: true }).waitFor();
      const step = page.getByRole('list', { name: 'Steps' }).getByRole('button', { name: /sign off/ });
      await step.waitFor();
      expect(await visit.axe()).toEqual([]);
      await unfold.click();
      await step.waitFor({ state: 'detached' });
      await unfold.click();
      await step.click();
      await page.getByRole('heading', { level: 1, name: 'refund order' }).waitFor();
      expect(new URL(page.url()).searchParams.get('step')).toBe('0.1');
    }));
});
