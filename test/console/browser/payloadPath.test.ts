import { describe, expect, it } from 'vitest';
import { dresses, fits } from '../kit/looks.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';

describe.skipIf(withoutBrowser)('a payload', { timeout: 120_000 }, () => {
  let eventId = '';
  const test = useConsole(async (site) => {
    const sent = await site.client('shop').events.send({ name: 'paid', data: { items: [{ sku: 'k-1' }] } });
    eventId = sent.eventId;
  });

  it('tells the path of the value at the cursor, by the keyboard alone', () =>
    test.visit({ permissions: ['clipboard-read', 'clipboard-write'] }, async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(`/p/default/events/${eventId}`);
      const editor = page.getByRole('textbox', { name: 'Data' });
      await editor.getByText('"k-1"').waitFor();
      await editor.focus();
      for (let line = 0; line < 3; line += 1) await page.keyboard.press('ArrowDown');
      const button = page.getByRole('button', { name: 'Copy the path at the cursor in Data' });
      for (let presses = 0; presses < 8; presses += 1) {
        if (await button.and(page.locator(':focus')).count()) break;
        await page.keyboard.press('Shift+Tab');
      }
      await page.keyboard.press('Enter');
      await page.getByText('Copied $.items[0].sku').waitFor();
      expect(await visit.evaluate('navigator.clipboard.readText()')).toBe('$.items[0].sku');
      await fits(visit, 'a payload', dresses);
    }));
});
