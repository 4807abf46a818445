import { setTimeout as delay } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import type { ConsoleSite } from '../kit/consoleSite.ts';
import { fewDresses, fits, looksRight } from '../kit/looks.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';

const path = '/p/default/workflows/shop/pack%20parcel?tab=simulate';
const hour = 3_600_000;

/** Ten starts, of which a rate of four lets so many pass, and at most two execute at once. */
async function seedParcels(site: ConsoleSite): Promise<void> {
  const shop = site.client('shop');
  shop.workflow(
    {
      id: 'pack parcel',
      triggers: [{ event: 'order.paid' }],
      rateLimit: { limit: 4, perMs: hour },
      concurrency: { limit: 2, key: 'shelf' },
      budget: { maxCost: 5, windowMs: hour },
    },
    ({ step }) => step.run('pack', () => delay(400, 'packed')),
  );
  shop.workflow({ id: 'never started' }, () => 'nothing');
  await site.connect(shop, 'packer-1');
  for (let n = 0; n < 10; n += 1) await shop.events.send({ name: 'order.paid', data: { shelf: 's-1', n } });
  type Found = { runStats: { byStatus: { succeeded: number } } };
  await vi.waitFor(
    async () =>
      expect((await site.operate<Found>('{ runStats { byStatus { succeeded } } }')).runStats.byStatus.succeeded).toBe(
        4,
      ),
    { timeout: 30_000, interval: 100 },
  );
}

const group = (page: Page, name: string): Locator => page.getByRole('group', { name, exact: true });
const rate = (page: Page): Locator => group(page, 'Rate limit').getByRole('textbox', { name: 'Starts' });
/** The policies that the URL tries. */
const triedIn = (page: Page): unknown => JSON.parse(new URL(page.url()).searchParams.get('try') ?? 'null');

/** Waits until a figure says so much now, and so much as tried. */
async function says(page: Page, figure: string, now: string, tried: string): Promise<void> {
  const row = page.getByRole('region', { name: 'Now and tried', exact: true }).getByRole('row', { name: figure });
  await expect.poll(() => row.getByRole('cell').allTextContents(), { timeout: 15_000 }).toEqual([figure, now, tried]);
}

describe.skipIf(withoutBrowser)('the simulation of the policies of a workflow', () => {
  const test = useConsole(seedParcels);

  const tried = encodeURIComponent('{"rateLimit":null,"throttle":{"limit":4,"perMs":3600000},"ceiling":{"limit":9}}');
  const looks = [
    ['workflow-simulation', path, 'The policies are those in force'],
    ['workflow-simulation-tried', `${path}&try=${tried}`, 'As tried: 6 more runs'],
    ['workflow-simulation-empty', path.replace('pack%20parcel', 'never%20started'), 'No start came in this time'],
  ] as const;
  it.each(looks)('looks right as %s', { timeout: 240_000 }, (name, at, shows) =>
    looksRight(test, { name, path: at, shows }),
  );

  it('shows at once what a limit changes, by keyboard and by slider, and the URL keeps it', () =>
    test.visit({ keepsKey: true }, async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path);
      await says(page, 'Runs that began', '4', '4');
      await rate(page).focus();
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      await says(page, 'Runs that began', '4', '6');
      expect(triedIn(page)).toEqual({ rateLimit: { limit: 6, perMs: hour } });
      await page.getByText('In force: 4').waitFor();
      const slider = group(page, 'Rate limit').getByRole('slider', { name: 'Rate limit: Starts' });
      const box = await slider.boundingBox();
      if (!box) throw new Error('the slider has no place');
      await page.mouse.move(box.x + 2, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2, { steps: 8 });
      await page.mouse.up();
      await says(page, 'Runs that began', '4', '10');
      expect(triedIn(page)).toEqual({ rateLimit: { limit: 10_000, perMs: hour } });
      await page.reload();
      await says(page, 'Runs that began', '4', '10');
      expect(await rate(page).inputValue()).toBe('10000');
      await visit.click(page.getByRole('button', { name: 'As in force' }));
      await page.getByText('The policies are those in force').waitFor();
      expect([triedIn(page), await rate(page).inputValue()]).toEqual([null, '4']);
    }));

  it('switches policies off and on, and shows them as a definition', () =>
    test.visit({ permissions: ['clipboard-read', 'clipboard-write'] }, async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path);
      await page.getByText('Not simulated: budget.').waitFor();
      await page.getByRole('checkbox', { name: 'Rate limit' }).uncheck();
      await page.getByRole('checkbox', { name: 'Throttle' }).check();
      await group(page, 'Throttle').getByRole('textbox', { name: 'Per' }).fill('1 h 30 m');
      await says(page, 'Starts delayed', '2', '9');
      await page.getByText('off → 9').waitFor();
      await visit.click(page.getByRole('button', { name: 'Copy definition' }));
      expect(JSON.parse(String(await visit.evaluate('navigator.clipboard.readText()')))).toEqual({
        concurrency: { limit: 2, key: 'shelf' },
        throttle: { limit: 10, perMs: 1.5 * hour },
      });
    }));

  it('says what is wrong with a number or a key, and simulates nothing then', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path);
      await says(page, 'Runs that began', '4', '4');
      await rate(page).fill('none');
      await page.keyboard.press('Tab');
      await page.getByRole('alert').filter({ hasText: 'A whole number from 1' }).waitFor();
      await group(page, 'Concurrency').getByRole('textbox', { name: 'Key' }).fill('a..b');
      await page.keyboard.press('Tab');
      await page.getByRole('alert').filter({ hasText: 'Names of fields, joined by dots' }).waitFor();
      await delay(800);
      expect(triedIn(page)).toBeNull();
    }));

  it('asks once for many changes, one request at a time, and not again by itself', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      let [asked, open, most] = [0, 0, 0];
      await page.route('**/graphql', async (route) => {
        if (!route.request().postData()?.includes('query Simulation')) return route.continue();
        asked += 1;
        open += 1;
        most = Math.max(most, open);
        await delay(700);
        open -= 1;
        await route.continue();
      });
      await visit.openSignedIn(path);
      await says(page, 'Runs that began', '4', '4');
      expect(asked).toBe(1);
      await rate(page).focus();
      for (let n = 0; n < 4; n += 1) await page.keyboard.press('ArrowUp');
      await vi.waitFor(() => expect(open).toBe(1), { timeout: 5_000 });
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      await says(page, 'Runs that began', '4', '10');
      await delay(1_500);
      expect({ asked, most }).toEqual({ asked: 3, most: 1 });
    }));

  it('keeps the figures while the service is busy, and goes on by itself', () =>
    test.visit({ expects: /status of 503/ }, async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path);
      await says(page, 'Runs that began', '4', '4');
      let refused = 0;
      await page.route('**/graphql', (route) => {
        if (refused > 0 || !route.request().postData()?.includes('query Simulation')) return route.continue();
        refused += 1;
        return route.fulfill({ status: 503, json: { errors: [{ message: 'busy', extensions: { code: 'BUSY' } }] } });
      });
      await rate(page).fill('7');
      await page.getByRole('status').filter({ hasText: 'The service is busy' }).waitFor();
      await says(page, 'Runs that began', '4', '7');
      await page.getByText('The service is busy').waitFor({ state: 'detached' });
    }));

  it('loads in rows of grey, and says that the service failed', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      let answer = (): void => {};
      const held = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await page.route('**/graphql', async (route) => {
        if (!route.request().postData()?.includes('query Simulation')) return route.continue();
        await held;
        return route.fulfill({ json: { errors: [{ message: 'a trial', extensions: { code: 'INTERNAL' } }] } });
      });
      await visit.openSignedIn(path);
      await page.locator('main').getByRole('status', { name: 'Loading' }).waitFor();
      await fits(visit, 'simulation loads', fewDresses);
      answer();
      await page.getByRole('alert').filter({ hasText: 'The service failed' }).waitFor();
      await fits(visit, 'simulation fails', fewDresses);
      await page.unroute('**/graphql');
      await visit.click(page.getByRole('button', { name: 'Try again' }));
      await says(page, 'Runs that began', '4', '4');
    }));

  it('simulates for a key that only reads, and follows the link from the limits', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path.replace('simulate', 'flow'), test.site.keys.public);
      await visit.click(page.getByRole('link', { name: 'Try other limits' }));
      await rate(page).fill('5');
      await says(page, 'Runs that began', '4', '5');
    }));
});
