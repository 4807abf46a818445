import { describe, expect, it } from 'vitest';
import { looksRight } from '../kit/looks.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';

const path = '/p/default/workflows/shop/ship%20order/trigger';
const faulty = '{\n  "orderId": 12345678901234567890,\n  "2": 1e400\n  "1": -0,\n  "orderId": "o  2"\n}';
const mended = faulty.replace('1e400', '1e400,');
const compact = '{"orderId":12345678901234567890,"2":1e400,"1":-0,"orderId":"o  2"}';

describe.skipIf(withoutBrowser)('a form that takes JSON', () => {
  const test = useConsole(async (site) => {
    const shop = site.client('shop');
    shop.workflow({ id: 'ship order', triggers: [{ event: 'order.paid' }] }, ({ event }) => event.data);
    await site.connect(shop, 'dock-1');
  });

  it('looks right with a fault in its text', { timeout: 240_000 }, () =>
    looksRight(test, {
      name: 'workflow-trigger-fault',
      path,
      shows: 'Start a run',
      before: async ({ page }) => {
        await page.getByLabel('Input').fill(faulty);
        await page.getByRole('button', { name: 'Line 3, column 13' }).waitFor();
      },
    }),
  );

  it('tells a fault at its line and column, keeps the text, and sends it as it was written', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      const sent: string[] = [];
      page.on('request', (request) => sent.push(request.postData() ?? ''));
      await visit.openSignedIn(path);
      const input = page.getByLabel('Input');
      await input.fill(faulty);
      await page.getByText(': a comma or } is missing').waitFor();
      expect(await input.getAttribute('aria-invalid')).toBe('true');
      await input.press('Control+Home');
      await input.press('Control+Enter');
      // The cursor is where the comma belongs; the form was not sent.
      await page.keyboard.type(',');
      expect(await input.inputValue()).toBe(mended);
      expect(sent.filter((body) => body.includes('TriggerWorkflow'))).toEqual([]);
      await page.getByText('a comma or } is missing').first().waitFor({ state: 'detached' });
      await page.keyboard.press('Control+Enter');
      await page.waitForURL(/\/runs\/[0-9a-f-]{36}/);
      const id = page.url().split('/').at(-1);
      const run = 'query ($id: ID!) { run(id: $id) { inputPayload { text } } }';
      expect(await test.site.operate(run, { id })).toEqual({ run: { inputPayload: { text: compact } } });
    }));

  it('is written by keyboard alone: lines keep their indentation, Tab leaves, and undo takes back', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn('/p/default/events/new');
      // The browser offers the names for which workflows listen.
      await page.locator('datalist option[value="order.paid"]').waitFor({ state: 'attached' });
      const data = page.getByLabel('Data');
      await data.fill('');
      await data.focus();
      await page.keyboard.type('{');
      await page.keyboard.press('Enter');
      await page.keyboard.type('"a": [1,2],');
      await page.keyboard.press('Enter');
      await page.keyboard.type('"b": 2}');
      expect(await data.inputValue()).toBe('{\n  "a": [1,2],\n  "b": 2}');
      await visit.tabTo(/^Indent$/);
      await page.keyboard.press('Enter');
      const indented = '{\n  "a": [\n    1,\n    2\n  ],\n  "b": 2\n}';
      await expect.poll(() => data.inputValue()).toBe(indented);
      await page.keyboard.press('Control+z');
      await expect.poll(() => data.inputValue()).toBe('{\n  "a": [1,2],\n  "b": 2}');
    }));

  it('goes to the fault of a long text, and stays under the dialog of a refused key', () =>
    test.visit({ expects: /401/ }, async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path);
      const input = page.getByLabel('Input');
      const long = `[\n${'  1,\n'.repeat(2_000)}  x\n]`;
      await input.fill(long);
      const place = page.getByRole('button', { name: 'Line 2002, column 3' });
      await place.click();
      expect(Number(await input.evaluate((area) => area.scrollTop))).toBeGreaterThan(1_000);
      await page.keyboard.press('Delete');
      await page.keyboard.type('2');
      await page.route('**/graphql', (route) =>
        route.fulfill({
          status: 401,
          json: { errors: [{ message: 'gone', extensions: { code: 'UNAUTHENTICATED' } }] },
        }),
      );
      await page.keyboard.press('Control+Enter');
      await page.getByLabel('API key').waitFor();
      await page.unroute('**/graphql');
      await visit.signIn(test.site.keys.secret);
      await page.getByLabel('API key').waitFor({ state: 'detached' });
      expect(await input.inputValue()).toBe(long.replace('x', '2'));
    }));
});
