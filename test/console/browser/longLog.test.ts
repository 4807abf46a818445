import type { Locator } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { addChatty } from '../kit/addChatty.ts';
import { seed } from '../kit/seed.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';

describe.skipIf(withoutBrowser)('a long log', { timeout: 120_000 }, () => {
  const test = useConsole(seed);

  /** The px between the end of each drawn line and the start of the next one. */
  const gaps = (log: Locator): Promise<number[]> =>
    log.getByRole('listitem').evaluateAll((lines) => {
      const boxes = lines.map((line) => line.getBoundingClientRect());
      return boxes.slice(1).map(({ top }, at) => Math.round(top - (boxes[at]?.bottom ?? 0)));
    });

  /**
   * Scrolls a box to its end in eight frames. Answers the texts of the rows that were drawn
   * meanwhile, and in how many frames no row had a button.
   */
  const passing = (box: Locator): Promise<{ texts: string[]; bare: number }> =>
    box.evaluate(async (element) => {
      const texts: string[] = [];
      let bare = 0;
      for (let frame = 1; frame <= 8; frame += 1) {
        element.scrollTop = (frame / 8) * (element.scrollHeight - element.clientHeight);
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        const rows = [...element.querySelectorAll('li')];
        texts.push(...rows.map((row) => row.textContent ?? ''));
        if (rows.every((row) => row.querySelector('button') === null)) bare += 1;
      }
      return { texts, bare };
    });

  const holds = (log: Locator): Promise<void> =>
    vi.waitFor(async () => {
      const found = await gaps(log);
      expect(found.length).toBeGreaterThan(10);
      expect(new Set(found)).toEqual(new Set([0]));
    });

  it('places lines below each other and keeps no focus of a line that is gone, after a jump', async () => {
    const id = await addChatty(test.site);
    await test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(`/p/default/runs/${id}?tab=logs&from=first`);
      const log = page.getByRole('log', { name: 'Log lines' });
      const line = (n: number): Locator => log.getByRole('button', { name: new RegExp(`line ${n} of it`) });
      const jump = (to: number): Promise<void> =>
        log.evaluate((box, share) => {
          box.scrollTop = share * (box.scrollHeight - box.clientHeight);
        }, to);
      const numbers = async (): Promise<number[]> =>
        (await log.getByRole('listitem').allTextContents()).map((text) => Number(/line (\d+) of it/.exec(text)?.[1]));
      await line(1).click();
      await log.getByRole('button', { name: 'Only this scope' }).waitFor();
      await holds(log);

      await jump(0.5);
      await vi.waitFor(async () => expect((await numbers())[0]).toBeGreaterThan(400));
      const drawn = await numbers();
      expect(drawn).toEqual(drawn.map((_, at) => (drawn[0] ?? 0) + at));
      expect(await log.locator(':focus').count()).toBe(0);
      await holds(log);
      await line(drawn[10] ?? 0).click();
      await log.getByRole('button', { name: 'Only this scope' }).waitFor();
      await holds(log);

      await jump(0);
      await vi.waitFor(async () => expect((await numbers())[0]).toBe(1));
      await log.getByRole('button', { name: 'Only this scope' }).waitFor();
      await holds(log);
    });
  });

  it('draws rows that pass in a fast scroll by their text alone, and whole once they rest', async () => {
    const id = await addChatty(test.site);
    await test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(`/p/default/runs/${id}?tab=logs&from=first`);
      const log = page.getByRole('log', { name: 'Log lines' });
      await holds(log);
      const lines = await passing(log);
      expect(lines.bare).toBeGreaterThan(3);
      expect(lines.texts.filter((text) => !/line \d+ of it/.test(text))).toEqual([]);
      await expectWhole(log);
      await holds(log);

      await page.getByRole('tab', { name: 'Timeline' }).click();
      const steps = page.getByRole('list', { name: 'Steps' });
      await steps.getByRole('button', { name: /part/ }).first().waitFor();
      const rows = await passing(steps.locator('..'));
      expect(rows.bare).toBeGreaterThan(3);
      expect(rows.texts.filter((text) => !/part \d+/.test(text))).toEqual([]);
      await expectWhole(steps);
    });
  });

  const expectWhole = (rows: Locator): Promise<void> =>
    vi.waitFor(async () =>
      expect(await rows.locator('li:has(button)').count()).toBe(await rows.getByRole('listitem').count()),
    );
});
