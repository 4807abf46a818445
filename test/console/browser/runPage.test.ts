import { describe, expect, it, vi } from 'vitest';
import { addChatty } from '../kit/addChatty.ts';
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

  it('shows the log lines of a run oldest first', () =>
    test.visit(async (visit) => {
      await visit.openSignedIn(`${path(seeded.runs.succeeded)}?tab=logs`);
      const lines = visit.page.getByRole('log', { name: 'Log lines' }).getByRole('listitem');
      await lines.filter({ hasText: 'the label is old' }).waitFor();
      const texts = (await lines.allTextContents()).map((text) => /packing|weighed|the label is old/.exec(text)?.[0]);
      expect(texts).toEqual(['packing', 'weighed', 'the label is old']);
    }));

  it('shows log lines newest first, reads from the first line on, and keeps both in the address', async () => {
    const id = await addChatty(test.site);
    await test.visit({ keepsKey: true }, async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(`${path(id)}?tab=logs`);
      const log = page.getByRole('log', { name: 'Log lines' });
      const lines = log.getByRole('listitem');
      const first = async (): Promise<string | null> => lines.first().textContent();
      await page.getByText('the last 1000 lines').waitFor();
      expect(await first()).toContain('line 201 of it');
      await page.getByLabel('Order').selectOption('newest');
      await vi.waitFor(async () => expect(await first()).toContain('line 1200 of it'));

      await page.getByRole('button', { name: 'First line' }).click();
      await page.getByText('the first 1000 lines').waitFor();
      await log.getByText('line 1 of it', { exact: true }).waitFor();
      await page.getByLabel('Order').selectOption('oldest');
      await vi.waitFor(async () => expect(await first()).toContain('line 1 of it'));
      expect(new URL(page.url()).searchParams.get('from')).toBe('first');
      await page.reload();
      await page.getByText('the first 1000 lines').waitFor();

      await page.getByRole('button', { name: 'Later lines' }).click();
      await page.getByText('1200 lines', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Last line' }).click();
      await log.getByText('line 1200 of it').waitFor();
      await page.getByRole('button', { name: 'First line' }).click();
      await log.getByText('line 1 of it', { exact: true }).waitFor();
    });
  });

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
      await page.keyboard.press('ArrowDown');
      await page.getByRole('button', { name: 'Failed Attempt 2' }).and(page.locator(':focus')).waitFor();
      await page.keyboard.press('ArrowLeft');
      await page.getByRole('button', { name: 'Succeeded count pieces' }).and(page.locator(':focus')).waitFor();
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

  const rangeOf = (url: string): number[] =>
    (new URL(url).searchParams.get('range') ?? '').split('-').filter(Boolean).map(Number);

  it('shows the range of time that is dragged over the minimap, and the way back to the whole', () =>
    test.visit({ keepsKey: true }, async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path(seeded.runs.manySteps));
      const steps = page.getByRole('list', { name: 'Steps' });
      await steps.getByText('import row 0', { exact: true }).waitFor();
      await page.getByText('50 steps', { exact: true }).waitFor();
      const start = await page.getByRole('slider', { name: 'Start of the time shown' }).boundingBox();
      const end = await page.getByRole('slider', { name: 'End of the time shown' }).boundingBox();
      if (!start || !end) throw new Error('the minimap has no ends');
      const [left, width, y] = [start.x + start.width, end.x - start.x - start.width, start.y + start.height / 2];
      await page.mouse.move(left + width * 0.5, y);
      await page.mouse.down();
      await page.mouse.move(left + width * 0.6, y, { steps: 5 });
      await page.mouse.up();
      await page.getByText(/^\d+ of 50 steps, /).waitFor();
      await steps.getByText('import row 0', { exact: true }).waitFor({ state: 'detached' });
      await page.waitForURL(/range=/);
      const [from = 0, to = 0] = rangeOf(page.url());
      const ms = Number(
        await page.getByRole('slider', { name: 'Start of the time shown' }).getAttribute('aria-valuemax'),
      );
      expect(from / ms).toBeCloseTo(0.5, 1);
      expect(to / ms).toBeCloseTo(0.6, 1);
      expect(await visit.axe()).toEqual([]);
      await page.reload();
      await page.getByText(/^\d+ of 50 steps, /).waitFor();
      await page.getByRole('button', { name: 'Whole run' }).click();
      await page.getByText('50 steps', { exact: true }).waitFor();
      expect(rangeOf(page.url())).toEqual([]);
    }));

  it('narrows the time by the keyboard alone, and Escape shows the whole run', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path(seeded.runs.manySteps));
      await page.getByText('50 steps', { exact: true }).waitFor();
      await visit.tabTo(/^Start of the time shown$/);
      const start = page.getByRole('slider', { name: 'Start of the time shown' });
      for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('PageUp');
      await page.waitForURL(/range=/);
      const [from = 0] = rangeOf(page.url());
      expect(new URL(page.url()).searchParams.get('range')).toMatch(/^\d+-$/);
      expect(from / Number(await start.getAttribute('aria-valuemax'))).toBeCloseTo(0.3, 1);
      await visit.tabTo(/^End of the time shown$/);
      await page.keyboard.press('Shift+ArrowLeft');
      await page.waitForURL((url) => (rangeOf(url.href)[0] ?? from) < from);
      await page.keyboard.press('Escape');
      await page.waitForURL((url) => !url.searchParams.has('range'));
      await page.getByText('50 steps', { exact: true }).waitFor();
    }));

  it('narrows the time further by a drag over the marks of the timeline', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path(seeded.runs.manySteps));
      const mark = await page.getByText('0', { exact: true }).first().boundingBox();
      if (!mark) throw new Error('the axis has no mark');
      await page.mouse.move(mark.x + 100, mark.y + 5);
      await page.mouse.down();
      await page.mouse.move(mark.x + 160, mark.y + 5, { steps: 4 });
      await page.mouse.up();
      await page.waitForURL(/range=/);
      await page.getByText(/^\d+ of 50 steps, /).waitFor();
      await page.getByText('+0').waitFor();
    }));
});
