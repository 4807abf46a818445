import { describe, it } from 'vitest';
import { isWanted, type Look, lookRight } from '../kit/looks.ts';
import { seed } from '../kit/seed.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';

const unknownId = '0190a000-0000-7000-8000-000000000000';

describe.skipIf(withoutBrowser)('each page beside runs, and each part of the frame', () => {
  let eventId = '';
  const test = useConsole(async (site) => {
    await seed(site);
    type Found = { events: { nodes: { id: string }[] } };
    eventId = (await site.operate<Found>('{ events(first: 1) { nodes { id } } }')).events.nodes[0]?.id ?? '';
  });

  /** Each page by the name of its picture: its path, a text of its content, and what opens. */
  const pages = (): Record<string, Omit<Look, 'name'>> => ({
    overview: { path: '/?range=24h', shows: /charge card/ },
    approvals: { path: '/approvals?open=1', shows: /Pay 120\.00/ },
    'approvals-none-match': { path: '/approvals?open=1&risk=none', shows: /No approval matches these filters/ },
    'approval-unknown': { path: `/approvals/${unknownId}`, shows: /No approval of this project has this id/ },
    events: { path: '/events', shows: /order\.shipped/ },
    'events-none-match': { path: '/events?name=nothing', shows: /No event matches these filters/ },
    event: { path: `/events/${eventId}`, shows: /What became of it/ },
    'event-unknown': { path: `/events/${unknownId}`, shows: /No event of this project has this id/ },
    'event-send': { path: '/events/new', shows: /Send an event/ },
    workflows: { path: '/workflows', shows: /charge card/ },
    'workflows-none-match': { path: '/workflows?app=nothing', shows: /No workflow matches/ },
    workflow: { path: '/workflows/shop/ship%20order', shows: /order\.paid/ },
    'workflow-unknown': { path: '/workflows/shop/nothing', shows: /is registered/ },
    'workflow-trigger': { path: '/workflows/shop/ship%20order/trigger', shows: /Start a run/ },
    audit: { path: '/audit', shows: /Replay/ },
    'audit-none-match': { path: '/audit?action=create_project', shows: /No entry matches these filters/ },
    settings: { path: '/settings', shows: /This browser/ },
    'page-unknown': { path: '/nothing', shows: /./ },
    search: {
      path: '/runs',
      shows: /ship order/,
      before: async ({ page }) => {
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'An id, or a name' }).fill('ship');
        await page.getByRole('option').first().waitFor();
      },
    },
    shortcuts: {
      path: '/runs',
      shows: /ship order/,
      before: async ({ page }) => {
        await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
        await page.getByRole('dialog').getByText('Overview').first().waitFor();
      },
    },
    'bulk-replay': {
      path: '/runs?status=failed',
      shows: /charge card/,
      before: async ({ page }) => {
        await page.getByRole('button', { name: 'Replay all matching' }).click();
        await page
          .getByRole('dialog')
          .getByRole('button', { name: /^Replay \d/ })
          .waitFor();
      },
    },
  });

  it(
    'shows its content light and dark, wide and narrow, fits, and has no fault that axe finds',
    {
      timeout: 600_000,
    },
    () =>
      lookRight(
        test,
        {},
        Object.entries(pages())
          .filter(([name]) => isWanted(name))
          .map(([name, look]) => ({ name, ...look, path: `/p/default${look.path}` })),
      ),
  );
});
