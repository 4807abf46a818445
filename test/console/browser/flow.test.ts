import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ConsoleSite } from '../kit/consoleSite.ts';
import { looksRight } from '../kit/looks.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';

const path = '/p/default/flow';

/** Runs behind a full scope, a throttle, a buffer, a singleton and a budget that is spent. */
async function fill(site: ConsoleSite): Promise<void> {
  const shop = site.client('shop');
  const on = (event: string) => [{ event }];
  shop.workflow(
    { id: 'print label', triggers: on('label'), concurrency: { limit: 1, key: 'printer' } },
    ({ step, run }) => step.run('print', () => delay(86_400_000, 'done', { signal: run.signal, ref: false })),
  );
  shop.workflow({ id: 'send mail', triggers: on('mail'), throttle: { limit: 1, perMs: 3_600_000 } }, () => 'sent');
  shop.workflow({ id: 'sync', triggers: on('changed'), debounce: { periodMs: 3_600_000, key: 'id' } }, () => 'synced');
  shop.workflow({ id: 'report', triggers: on('report'), singleton: { mode: 'skip' } }, ({ step }) =>
    step.sleep('a day', '1d'),
  );
  shop.workflow(
    { id: 'summarize', triggers: on('ended'), budget: { maxTokens: 1_000, windowMs: 86_400_000, warnAtPct: 50 } },
    ({ step }) =>
      step.ai.wrap('summary', ({ report }) => {
        report({ model: 'local', tokensIn: 1_200, tokensOut: 10 });
        return 'short';
      }),
  );
  await site.connect(shop, 'warehouse-1');
  const send = (name: string, data: Record<string, unknown>) => shop.events.send({ name, data });
  for (let n = 0; n < 3; n += 1) await send('label', { printer: 'berlin' });
  for (let n = 0; n < 2; n += 1) await send('mail', { n });
  for (let n = 0; n < 2; n += 1) await send('report', { n });
  await send('changed', { id: 'c-1' });
  await send('ended', {});
}

describe.skipIf(withoutBrowser)('the page of flow control', () => {
  const test = useConsole();

  it('says how a workflow limits itself where nothing is held back', { timeout: 180_000 }, () =>
    looksRight(test, { path, shows: 'Nothing is held back' }),
  );

  it('shows scopes, delays, singletons, budgets and withheld starts', { timeout: 240_000 }, async () => {
    await fill(test.site);
    await looksRight(test, {
      name: 'flow',
      path,
      shows: 'Debounces and batches',
      before: async ({ page }) => {
        for (const text of ['2 waiting', 'Throttled starts', 'Singletons', 'Budgets', 'Withheld starts'])
          await page.getByText(text).first().waitFor();
      },
    });
  });

  it('shows the runs that hold a place of a scope, and those that wait, by a link', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(path);
      await page.getByRole('button', { name: 'Show runs' }).first().click();
      await page.getByText('Hold a place (1)').waitFor();
      await page.getByText('need a place again (2)').waitFor();
      expect(new URL(page.url()).searchParams.get('scopeKey')).toBe('berlin');
      await page.keyboard.press('Escape');
      await page.getByText('Hold a place (1)').waitFor({ state: 'detached' });
      await page.goBack();
      await page.getByText('Hold a place (1)').waitFor();
    }));

  it('names the filter to drop where nothing matches', () =>
    test.visit(async (visit) => {
      await visit.openSignedIn(`${path}?workflow=unknown`);
      await visit.page.getByRole('button', { name: 'Drop workflow: unknown' }).click();
      await visit.page.getByText('2 waiting').waitFor();
    }));
});
