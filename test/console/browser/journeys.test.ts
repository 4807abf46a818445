import { describe, expect, it, vi } from 'vitest';
import { type SeededRuns, seed, seeded } from '../kit/seed.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';
import type { Visit } from '../kit/visit.ts';

// The jobs of a person on call, by mouse and by keyboard alone, with their clicks counted.

describe.skipIf(withoutBrowser)('a person on call', { timeout: 120_000 }, () => {
  const test = useConsole(seed);

  const statusOf = async (id: string): Promise<string> => {
    const headers = { authorization: `Bearer ${test.site.keys.secret}` };
    const answer = await fetch(`${test.site.service.baseUrl}/runs/${id}`, { headers });
    return ((await answer.json()) as { status: string }).status;
  };

  const firstReason = (visit: Visit) =>
    visit.page.getByRole('region', { name: 'Why it waits' }).getByRole('listitem').first();

  describe('finds out why a run does not move', () => {
    it.each<[keyof SeededRuns, RegExp]>([
      ['waitingForEvent', /waits for the event “payment\.settled”/],
      ['sleeping', /sleeps/],
      ['waitingForChild', /waits for a child run/],
      ['needsApproval', /waits for a decision on “refund”/],
      ['retrying', /waits for attempt 2 of 10/],
      ['limited', /Waits for a slot: 1 of 1/],
    ])('of the kind %s, with one click and its pasted id', (kind, reason) =>
      test.visit(async (visit) => {
        await visit.openSignedIn('/p/default/runs');
        await visit.click(visit.page.getByRole('button', { name: /Find a run/ }));
        await visit.page.getByRole('combobox', { name: 'An id, or a name' }).fill(seeded.runs[kind]);
        await visit.page.getByRole('option', { name: /Run of/ }).waitFor();
        await visit.page.keyboard.press('Enter');
        await firstReason(visit).filter({ hasText: reason }).waitFor();
        expect(visit.clicks).toBe(1);
      }),
    );

    it('without a mouse', () =>
      test.visit(async (visit) => {
        await visit.openSignedIn('/p/default/runs');
        await visit.page.keyboard.press('Control+k');
        await visit.page.locator('[role=combobox]:focus').waitFor();
        await visit.page.keyboard.insertText(seeded.runs.waitingForEvent);
        await visit.page.getByRole('option', { name: /Run of/ }).waitFor();
        await visit.page.keyboard.press('Enter');
        await firstReason(visit)
          .filter({ hasText: /payment\.settled/ })
          .waitFor();
      }));

    it('and sees it go on without a reload', () =>
      test.visit(async (visit) => {
        await visit.openSignedIn(`/p/default/runs/${seeded.runs.waitingForEvent}`);
        await firstReason(visit).waitFor();
        const headers = { authorization: `Bearer ${test.site.keys.secret}` };
        const body = JSON.stringify({ name: 'payment.settled', data: { ok: true } });
        await fetch(`${test.site.service.baseUrl}/events`, { method: 'POST', headers, body });
        await firstReason(visit).waitFor({ state: 'detached' });
        await visit.page.locator('main').getByText('Succeeded').first().waitFor();
      }));
  });

  describe('approves', () => {
    it('with two clicks from the inbox', () =>
      test.visit(async (visit) => {
        await visit.openSignedIn('/p/default/approvals?open=1');
        await visit.click(visit.page.getByRole('link', { name: /order o-20/ }));
        await visit.click(visit.page.getByRole('button', { name: 'Approve', exact: true }));
        await visit.page.locator('main').getByText('Decided').waitFor();
        expect(visit.clicks).toBe(2);
        await vi.waitFor(async () => expect(await statusOf(seeded.runs.needsApproval)).toBe('succeeded'), 30_000);
      }));

    it('without a mouse', () =>
      test.visit(async (visit) => {
        await visit.openSignedIn('/p/default/approvals?open=1');
        await visit.page.getByRole('link', { name: /order o-21/ }).waitFor();
        await visit.tabTo(/order o-21/);
        await visit.page.keyboard.press('Enter');
        await visit.page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
        await visit.tabTo(/^Approve$/);
        await visit.page.keyboard.press('Enter');
        await visit.page.locator('main').getByText('Decided').waitFor();
        await vi.waitFor(async () => expect(await statusOf(seeded.runs.waitingForChild)).toBe('succeeded'), 30_000);
      }));
  });

  it('replays all that failed, sees how many before, and the new runs after', () =>
    test.visit(async (visit) => {
      await visit.openSignedIn('/p/default/runs?status=failed');
      await visit.page
        .getByRole('cell', { name: /charge card/ })
        .first()
        .waitFor();
      await visit.click(visit.page.getByRole('button', { name: 'Replay all matching' }));
      const dialog = visit.page.getByRole('dialog');
      await visit.click(dialog.getByRole('button', { name: /^Replay/ }));
      await visit.page.waitForURL(/bulk=/);
      await visit.page
        .getByRole('cell', { name: /charge card/ })
        .first()
        .waitFor();
      expect(visit.clicks).toBeLessThanOrEqual(5);
    }));

  describe('compares two runs', () => {
    const parting = (visit: Visit) => visit.page.getByRole('region', { name: 'Where the runs part' });

    it('with one click from a replay to its original', () =>
      test.visit(async (visit) => {
        await visit.openSignedIn(`/p/default/runs/${seeded.runs.quotedAgain}`);
        await visit.click(visit.page.getByRole('button', { name: 'Compare with its original' }));
        await parting(visit).getByText('step 6, “ask rate”: its output differs').waitFor();
        const diff = visit.page.getByRole('textbox', { name: /^Output: changes/ });
        await diff.getByText('1.1204').waitFor();
        expect(visit.clicks).toBe(1);
      }));

    it('that are chosen in the list, whichever was chosen first', () =>
      test.visit(async (visit) => {
        await visit.openSignedIn('/p/default/runs?workflow=quote+price');
        const choose = (id: string): Promise<void> =>
          visit.click(visit.page.getByRole('checkbox', { name: `Choose run ${id}` }));
        await choose(seeded.runs.quoted);
        const refused = visit.page.getByRole('button', { name: /^Compare .*choose two runs/ });
        expect(await refused.getAttribute('aria-disabled')).toBe('true');
        await choose(seeded.runs.quotedAgain);
        await visit.click(visit.page.getByRole('button', { name: 'Compare', exact: true }));
        await parting(visit).getByText('step 6, “ask rate”: its output differs').waitFor();
        const { a, b } = Object.fromEntries(new URL(visit.page.url()).searchParams);
        expect([a, b].sort()).toEqual([seeded.runs.quoted, seeded.runs.quotedAgain].sort());
      }));

    it('without a mouse, also with a key that only reads', () =>
      test.visit(async (visit) => {
        const path = `/p/default/runs/compare?a=${seeded.runs.quotedAgain}&b=${seeded.runs.quoted}`;
        await visit.openSignedIn(path, test.site.keys.public);
        await parting(visit).getByText('“ask rate”').waitFor();
        await visit.tabTo(/^Go to the step$/);
        await visit.page.keyboard.press('Enter');
        await visit.page
          .getByRole('button', { name: 'ask rate', expanded: true })
          .and(visit.page.locator(':focus'))
          .waitFor();
        await visit.page.keyboard.press('Enter');
        await visit.page.getByRole('button', { name: 'ask rate', expanded: false }).waitFor();
        await visit.page.keyboard.press('ArrowDown');
        await visit.page.keyboard.press('ArrowDown');
        await visit.page.keyboard.press('Enter');
        await visit.page.getByText('the mail server answered 421').last().waitFor();
        expect(visit.page.url()).toContain('step=send%20mail');
      }));

    it('and is told which of the ids is unknown', () =>
      test.visit(async (visit) => {
        const unknown = '0190a000-0000-7000-8000-000000000000';
        await visit.openSignedIn(`/p/default/runs/compare?a=${seeded.runs.quoted}&b=${unknown}`);
        await visit.page.locator('main').getByText('No run of this project has this id').waitFor();
        await visit.page.locator('main').getByText(unknown).waitFor();
      }));
  });

  it('is told why a control is disabled with a key that only reads', () =>
    test.visit(async (visit) => {
      await visit.openSignedIn(`/p/default/runs/${seeded.runs.sleeping}`, test.site.keys.public);
      const cancel = visit.page.getByRole('button', { name: /^Cancel .*needs a secret key/ });
      await cancel.waitFor();
      expect(await cancel.getAttribute('aria-disabled')).toBe('true');
    }));
});
