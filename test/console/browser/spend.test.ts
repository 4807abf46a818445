import { describe, expect, it } from 'vitest';
import type { ConsoleSite } from '../kit/consoleSite.ts';
import { lookRight } from '../kit/looks.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';

const spend = '/p/default/ai';

/** Conversations of a workflow that calls a model with a price, and one of which none is known. */
async function fill(site: ConsoleSite): Promise<void> {
  const desk = site.client('desk');
  desk.workflow({ id: 'answer ticket', triggers: [{ event: 'ticket.opened' }] }, async ({ step }) => {
    await step.ai.wrap('draft', ({ report }) => {
      report({ model: 'large', tokensIn: 1_000, tokensOut: 200, cost: 0.5 });
      return 'dear';
    });
    return step.ai.wrap('translate', ({ report }) => {
      report({ model: 'local <b>', tokensIn: 300, tokensOut: 20 });
      return 'lieber';
    });
  });
  await site.connect(desk, 'desk-1');
  for (const session of ['conversation 1', 'conversation 1', 'conversation/2'])
    await desk.events.send({ name: 'ticket.opened', data: {}, session });
  const total = 'query { aiSpend { totals { calls } } }';
  await expect
    .poll(async () => (await site.operate<{ aiSpend: { totals: { calls: number } } }>(total)).aiSpend.totals.calls, {
      timeout: 60_000,
    })
    .toBe(6);
}

describe.skipIf(withoutBrowser)('the pages of spend and sessions', () => {
  const test = useConsole();

  it('say how to begin where no model was called', { timeout: 240_000 }, async () => {
    await lookRight(test, {}, [
      { path: spend, shows: 'No model was called in this time' },
      { path: '/p/default/sessions', shows: 'There is no session yet' },
      { path: '/p/default/sessions/nothing', shows: 'The project has no such session' },
    ]);
  });

  it('show cost by model, workflow, session and run, and fit', { timeout: 400_000 }, async () => {
    await fill(test.site);
    await lookRight(test, {}, [
      { name: 'ai', path: spend, shows: 'at least $1.50' },
      { name: 'ai-none-match', path: `${spend}?model=unknown`, shows: 'Drop model: unknown' },
      { name: 'sessions', path: '/p/default/sessions?sort=cost', shows: 'conversation/2' },
      { name: 'session', path: '/p/default/sessions/conversation%201', shows: 'Runs, oldest first' },
    ]);
  });

  it('never show a cost of zero for a model without a price', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(`${spend}?model=local <b>`);
      await page.getByText('no price').first().waitFor();
      expect(await page.locator('main').innerText()).not.toMatch(/\$0(?!\.\d)/);
    }));

  it('lead from a model to the step that spent it in three clicks', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(spend);
      await page.getByRole('button', { name: 'large' }).click();
      await page.getByRole('link', { name: 'conversation 1' }).click();
      await page.getByRole('button', { name: '2 model calls' }).first().click();
      await page.getByRole('link', { name: 'draft' }).waitFor();
      await page.getByText('$0.500').first().waitFor();
    }));

  it('have a table of the same numbers for the chart', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(`${spend}?by=tokens&range=24h`);
      await page.getByRole('button', { name: 'Table' }).click();
      await page.getByRole('cell', { name: '3,600' }).first().waitFor();
    }));

  it('name the filter to drop where nothing matches', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(`${spend}?model=unknown`);
      await page.getByRole('button', { name: 'Drop model: unknown' }).click();
      await page.getByText('at least $1.50').first().waitFor();
    }));
});
