import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { looksRight } from '../kit/looks.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';

const path = '/p/default/runners';

describe.skipIf(withoutBrowser)('the page of runners', () => {
  const test = useConsole();

  it('says how to start one where none has registered', { timeout: 180_000 }, () =>
    looksRight(test, { path, shows: 'No runner has registered yet' }),
  );

  it('shows live and gone runners by app, with what they serve', { timeout: 240_000 }, async () => {
    const shop = test.site.client('shop');
    shop.workflow({ id: 'ship order' }, () => 'shipped');
    await test.site.connect(shop, 'warehouse-1');
    const legacy = test.site.client('legacy');
    legacy.workflow({ id: '<img src=x onerror=alert(1)> \u202eevil' }, () => 1);
    const gone = legacy.connect({ runner: 'old-1' });
    await gone.ready;
    await gone.close();
    await looksRight(test, { name: 'runners', path, shows: 'warehouse-1' });
    await test.visit(async (visit) => {
      await visit.openSignedIn(path);
      const main = visit.page.locator('main');
      await main.getByText('no live runner').waitFor();
      await main.getByText('‹U+202E›evil').first().waitFor();
      await main.getByLabel('App', { exact: true }).selectOption('shop');
      await main.getByText('old-1').waitFor({ state: 'detached' });
      expect(new URL(visit.page.url()).search).toBe('?app=shop');
      await visit.page.goBack();
      await main.getByText('old-1').waitFor();
    });
  });

  it('names the filter to drop where nothing matches', () =>
    test.visit(async (visit) => {
      await visit.openSignedIn(`${path}?workflow=unknown`);
      await visit.page.getByRole('button', { name: 'Drop serves: unknown' }).click();
      await visit.page.getByText('warehouse-1').waitFor();
    }));

  it('suggests the registered names in the filters of lists, and sets them by Enter', { timeout: 120_000 }, () =>
    test.visit({ keepsKey: true }, async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path);
      const suggested = (field: string, name: string): Locator =>
        page.locator(`form:has(input[placeholder="${field}"]) datalist option[value="${name}"]`);
      for (const list of ['events', 'ai', 'approvals', 'sessions', 'workflows', 'webhooks/deliveries']) {
        await visit.open(`/p/default/${list}`);
        await suggested('App', 'shop').waitFor({ state: 'attached' });
      }
      await visit.open('/p/default/events');
      await suggested('Name of the event', 'ship order').waitFor({ state: 'attached' });
      await visit.open('/p/default/approvals?app=shop');
      await suggested('Workflow', 'ship order').waitFor({ state: 'attached' });
      expect(await page.locator('datalist option[value*="evil"]').count()).toBe(0);
      await page.getByLabel('Workflow', { exact: true }).fill('ship order');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Drop workflow: ship order' }).waitFor();
      expect(new URL(page.url()).search).toBe('?app=shop&workflow=ship%20order');
    }),
  );

  it('suggests the tags of runs in their filters, but none with hidden signs', () =>
    test.visit({ keepsKey: true }, async (visit) => {
      const shop = test.site.client('shop');
      for (const customer of ['ada', '\u202eada']) {
        await shop.workflows.trigger({ app: 'shop', name: 'ship order' }, { input: {}, tags: { customer } });
      }
      const { page } = visit;
      await visit.openSignedIn('/p/default/runs');
      await page.getByRole('button', { name: 'More filters' }).click();
      const offered = async (): Promise<unknown> =>
        page
          .locator('dialog, [role=dialog]')
          .locator('datalist option')
          .evaluateAll((all) => all.map((each) => each.getAttribute('value')));
      await expect.poll(offered).toEqual(expect.arrayContaining(['customer=', 'shop']));
      await page.getByLabel('Tag', { exact: true }).fill('customer=');
      await expect.poll(offered).toContain('customer=ada');
      expect(((await offered()) as string[]).filter((value) => value.startsWith('customer'))).toEqual(['customer=ada']);
      await page.getByLabel('Tag', { exact: true }).fill('customer=ada');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.waitForURL(/tag\.customer=ada/);
    }));

  it('suggests the live runners that serve a workflow in the form that starts a run', () =>
    test.visit(async (visit) => {
      await visit.openSignedIn('/p/default/workflows/shop/ship%20order/trigger');
      const options = visit.page.locator('datalist option');
      await expect
        .poll(() => options.evaluateAll((all) => all.map((each) => each.getAttribute('value'))))
        .toEqual(['warehouse-1']);
    }));

  it('keeps what it showed while the service is busy', () =>
    test.visit({ expects: /503/ }, async (visit) => {
      await visit.openSignedIn(path);
      await visit.page.getByText('warehouse-1').waitFor();
      await visit.page.route('**/graphql', (route) =>
        route.fulfill({
          status: 503,
          json: { errors: [{ message: 'overloaded', extensions: { code: 'BUSY' } }] },
        }),
      );
      await visit.page.getByText('The service is busy').waitFor();
      await visit.page.getByText('warehouse-1').waitFor();
    }));
});
