import { describe, expect, it, vi } from 'vitest';
import { looksRight } from '../kit/looks.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';

const inbox = '/p/default/approvals?open=1';

describe.skipIf(withoutBrowser)('the pages of approvals', () => {
  const test = useConsole();
  const runs: string[] = [];

  /** The id of the approval for which a run waits. */
  async function approvalOf(runId: string): Promise<string> {
    const document = 'query ($runId: ID) { approvals(runId: $runId) { nodes { id } } }';
    type Found = { approvals: { nodes: { id: string }[] } };
    const { approvals } = await test.site.operate<Found>(document, { runId });
    return approvals.nodes[0]?.id ?? '';
  }

  it('say how a workflow asks where nothing waits', { timeout: 180_000 }, () =>
    looksRight(test, { path: inbox, shows: 'Nothing waits for a decision' }),
  );

  it('show open ones by risk, with what the deadline does; names of strangers are inert', {
    timeout: 240_000,
  }, async () => {
    const shop = test.site.client('shop');
    const ask = (id: string, risk: string, summary: string): void =>
      void shop.workflow({ id }, ({ event, step }) =>
        step.approval('sign off', {
          tool: 'refund',
          args: event.data,
          risk,
          summary,
          timeout: '4h',
          onTimeout: 'reject',
        }),
      );
    ask('refund', 'high', 'Pay 120.00 € back');
    ask('evil', 'low', '<img src=x onerror=alert(1)> \u202eevil');
    await test.site.connect(shop, 'warehouse-1');
    for (const name of ['refund', 'refund', 'evil']) {
      const input = { orderId: 'o-20', cents: 12_000 };
      const { runId } = await shop.workflows.trigger({ app: 'shop', name }, { input });
      runs.push(runId ?? '');
    }
    await vi.waitFor(async () => expect(await approvalOf(runs[2] ?? '')).not.toBe(''), { timeout: 60_000 });
    await looksRight(test, { path: inbox, shows: 'Pay 120.00 € back' });
    await test.visit(async (visit) => {
      await visit.openSignedIn(inbox);
      await visit.page.getByText('‹U+202E›evil').waitFor();
      await visit.page.getByText('then it counts as denied').first().waitFor();
      await visit.page.goto(test.site.address(`${inbox}&risk=none`));
      await visit.signIn(test.site.keys.secret);
      await visit.page.getByRole('button', { name: 'Drop risk: none' }).click();
      await visit.page.getByText('Pay 120.00 € back').first().waitFor();
    });
  });

  it('approve with edited arguments and a reason, and show both afterwards', { timeout: 240_000 }, async () => {
    const id = await approvalOf(runs[0] ?? '');
    const path = `/p/default/approvals/${id}`;
    await looksRight(test, { name: 'approval', path, shows: 'The run so far' });
    await test.visit(async (visit) => {
      await visit.openSignedIn(path);
      await visit.page.getByRole('button', { name: 'Edit' }).click();
      const edited = visit.page.getByLabel('Arguments as JSON');
      await edited.fill('{"orderId": ');
      await visit.page.getByText('Line 1, column 13: the closing } is missing').first().waitFor();
      expect(await visit.page.getByRole('button', { name: /^Approve/ }).getAttribute('aria-disabled')).toBe('true');
      await edited.fill('{"orderId": "o-20", "cents": 9000}');
      await visit.page.getByLabel('Reason').fill('Ninety are enough.');
      await visit.page.getByRole('button', { name: 'Approve with edits' }).click();
      await visit.page.getByRole('heading', { name: 'Decision' }).waitFor();
      await visit.page.getByText('Ninety are enough.').waitFor();
    });
    await looksRight(test, { name: 'approval-decided', path, shows: 'Ninety are enough.' });
  });

  it('disable the decision for a public key, with the reason', () =>
    test.visit(async (visit) => {
      await visit.openSignedIn(`/p/default/approvals/${await approvalOf(runs[1] ?? '')}`, test.site.keys.public);
      const approve = visit.page.getByRole('button', { name: 'Approve (needs a secret key)' });
      await approve.waitFor();
      expect(await approve.getAttribute('aria-disabled')).toBe('true');
    }));
});
