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

  it('unfolds the attempts of a step beneath it, each with its start, duration and error', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path(seeded.runs.retried));
      const steps = page.getByRole('list', { name: 'Steps' });
      const unfold = steps.getByRole('button', { name: '3 attempts of count pieces' });
      await unfold.click();
      const failed = steps.getByRole('listitem').filter({ hasText: 'Attempt 1' });
      await failed.getByText('RangeError: the scale shows less than nothing: -3 g').waitFor();
      expect(await failed.locator('time').count()).toBe(1);
      expect(await failed.innerText()).toMatch(/\d+ ms/);
      await steps.getByText('Error: the warehouse answered 503').waitFor();
      expect(await visit.axe()).toEqual([]);
      await steps.getByRole('button', { name: 'Failed Attempt 2' }).click();
      await page
        .getByRole('region', { name: 'count pieces' })
        .getByText('the warehouse answered 503')
        .first()
        .waitFor();
      expect(new URL(page.url()).searchParams.get('step')).toBe('1.2');
      await unfold.click();
      await failed.waitFor({ state: 'detached' });
    }));

  it('unfolds and folds the attempts by the arrow keys', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path(seeded.runs.retried));
      const steps = page.getByRole('list', { name: 'Steps' });
      await steps.getByRole('button', { name: 'Succeeded count pieces' }).focus();
      await page.keyboard.press('ArrowRight');
      await steps.getByText('Error: the warehouse answered 503').waitFor();
      await page.keyboard.press('ArrowDown');
      await page.getByRole('button', { name: 'Failed Attempt 1' }).and(page.locator(':focus')).waitFor();
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowLeft');
      await steps.getByText('Attempt 1').waitFor({ state: 'detached' });
    }));

  it('shows only the steps that took more attempts, and keeps that in the address', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path(seeded.runs.retried));
      const steps = page.getByRole('list', { name: 'Steps' });
      await page.getByLabel('Attempts').selectOption('2 attempts or more');
      await steps.getByText('read shelf').waitFor({ state: 'detached' });
      await steps.getByRole('button', { name: 'Succeeded count pieces' }).waitFor();
      expect(new URL(page.url()).searchParams.get('attempts')).toBe('2');
    }));
});
