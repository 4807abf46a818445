import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ConsoleSite } from '../kit/consoleSite.ts';
import { looksRight } from '../kit/looks.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';

const path = '/p/default/workflows/shop/print%20label';

/** A workflow in its second version, whose only slot is taken, on one of two runners of its app. */
async function seedPress(site: ConsoleSite): Promise<void> {
  const before = site.client('shop');
  before.workflow({ id: 'print label', concurrency: { limit: 5 } }, () => 'printed');
  const gone = before.connect({ runner: 'press-1' });
  await gone.ready;
  await gone.close();
  const shop = site.client('shop');
  shop.workflow({ id: 'print label', concurrency: { limit: 1 }, retry: { maxAttempts: 2 } }, ({ step, run }) =>
    step.run('wait for the printer', () => delay(86_400_000, 'printed', { signal: run.signal, ref: false })),
  );
  await site.connect(shop, 'press-2');
  const other = site.client('shop');
  other.workflow({ id: 'ship order' }, () => 'shipped');
  await site.connect(other, 'dock-1');
  for (let n = 1; n <= 3; n += 1) await shop.workflows.trigger({ app: 'shop', name: 'print label' }, { input: { n } });
}

describe.skipIf(withoutBrowser)('the page of a workflow', () => {
  const test = useConsole(seedPress);

  const looks = [
    ['workflow-limits', '?tab=flow', '2 waiting'],
    ['workflow-runners', '?tab=runners', 'press-2'],
    ['workflow-definition', '?tab=definition', 'concurrency'],
    ['workflow-changes', '?tab=definition&changes=1', 'maxAttempts'],
  ] as const;
  it.each(looks)('looks right as %s', { timeout: 240_000 }, (name, search, shows) =>
    looksRight(test, { name, path: `${path}${search}`, shows }),
  );

  it('tells in its tabs what is held back and who serves it, by mouse and by keyboard', () =>
    test.visit({ keepsKey: true }, async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path);
      await page.getByRole('tab', { name: 'Limits 2' }).waitFor();
      await visit.click(page.getByRole('link', { name: '1 live runner' }));
      await page.getByText('1 of 2 live runners of shop serve it. A deploy may be under way.').waitFor();
      await page.getByText('press-1').waitFor();
      expect(await page.locator('main').getByText('dock-1').count()).toBe(0);
      await page.getByRole('tab', { name: 'Runners 1' }).focus();
      await page.keyboard.press('ArrowLeft');
      await page.getByText('Policies to try').waitFor();
      await page.keyboard.press('ArrowLeft');
      await page.getByText('2 waiting').waitFor();
      expect(new URL(page.url()).searchParams.get('tab')).toBe('flow');
      await page.getByRole('button', { name: 'Show runs' }).press('Enter');
      await page.getByRole('dialog').getByText('Hold a place (1)').waitFor();
      await page.keyboard.press('Escape');
      await page.reload();
      await page.getByText('2 waiting').waitFor();
    }));

  it.each([
    ['overview', ['WorkflowRuns']],
    ['flow', ['Flow']],
    ['simulate', []],
    ['runners', ['Runners']],
    ['definition', []],
  ] as const)('polls within 20 seconds only what its tab %s shows', (tab, polled) =>
    test.visit(async (visit) => {
      const { page } = visit;
      const asked: string[] = [];
      page.on('request', (request) => asked.push(/query (\w+)/.exec(request.postData() ?? '')?.[1] ?? ''));
      await page.clock.install();
      await visit.openSignedIn(`${path}?tab=${tab}`);
      await page.getByRole('tab', { name: 'Limits 2' }).waitFor();
      await page.getByRole('tab', { name: 'Runners 1' }).waitFor();
      await page.waitForLoadState('networkidle');
      asked.length = 0;
      await page.clock.runFor(20_000);
      const parts = new Set(asked.filter((name) => /^(Flow|Runners|Simulation|WorkflowRuns)$/.test(name)));
      expect([...parts].sort()).toEqual([...polled]);
    }),
  );

  it('shows the definition of each version, copies it, and tells what it changed', () =>
    test.visit({ permissions: ['clipboard-read', 'clipboard-write'] }, async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(`${path}?tab=definition`);
      await page.getByText('in force').waitFor();
      await visit.click(page.getByRole('button', { name: 'Copy Definition' }));
      const copied = JSON.parse(String(await visit.evaluate('navigator.clipboard.readText()'))) as object;
      expect(copied).toMatchObject({ flowControl: { concurrency: { limit: 1 } } });
      await visit.click(page.getByRole('button', { name: 'Show what it changed' }));
      const diff = page.getByLabel('What the version changed');
      await expect.poll(() => diff.textContent()).toMatch(/"limit": 5.*"limit": 1/);
      const rows = page.getByRole('region', { name: 'Versions' }).getByRole('row');
      await visit.click(rows.nth(2).getByRole('link').first());
      await page.getByText('earlier').waitFor();
      await expect.poll(() => page.locator('.cm-content').textContent()).toMatch(/"limit": 5/);
      expect(await page.getByRole('button', { name: 'Show what it changed' }).count()).toBe(0);
    }));

  it('names a version that is not recorded', () =>
    test.visit(async (visit) => {
      await visit.openSignedIn(`${path}?tab=definition&version=0123`);
      await visit.page.getByText('Version 0123 is not recorded').waitFor();
    }));
});
