import { describe, expect, it } from 'vitest';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';
import type { Visit } from '../kit/visit.ts';

// The list of events stays true while events come in: in a lost socket, and under filters.

interface Sent {
  name: string;
  tags?: Record<string, string>;
  session?: string;
}

/** Chromium notes a lost socket. */
const lostSocket = /WebSocket/;

describe.skipIf(withoutBrowser)('the list of events, live', { timeout: 120_000 }, () => {
  const test = useConsole(async (site) => {
    const shop = site.client('shop');
    shop.workflow({ id: 'ship order', triggers: [{ event: 'order.paid' }] }, () => 'shipped');
    await site.connect(shop, 'warehouse-1');
    await send({ name: 'order.paid', tags: { region: 'eu' }, session: 's-1' });
    await send({ name: 'stray' });
  });

  const send = (sent: Sent): Promise<unknown> =>
    test.site.operate('mutation ($input: SendEventInput!) { sendEvent(input: $input) { eventId } }', {
      input: { app: 'shop', data: {}, ...sent },
    });

  /** Opens the list. Events that come after its first read wait until they are asked for. */
  async function opensPaused(visit: Visit, search = ''): Promise<void> {
    await visit.openSignedIn(`/p/default/events${search}`);
    const first = visit.page.getByRole('region', { name: 'Events' }).getByRole('link').first();
    await first.or(visit.page.getByText('No event matches these filters')).waitFor();
    await visit.page.getByRole('button', { name: 'Pause' }).click();
  }
  const fresh = (visit: Visit): Promise<string[]> =>
    visit.page.getByRole('button', { name: /^\d+\+? new$/ }).allTextContents();
  const names = (visit: Visit): Promise<string[]> =>
    visit.page.getByRole('region', { name: 'Events' }).getByRole('link').allTextContents();

  it('counts the events that came in while the socket was lost', () =>
    test.visit({ expects: lostSocket }, async (visit) => {
      let isDeaf = false;
      let lose = (): void => {};
      await visit.page.routeWebSocket(/graphql/, (socket) => {
        const server = socket.connectToServer();
        server.onMessage((message) => {
          if (!isDeaf) socket.send(message);
        });
        lose = () => {
          void server.close();
          void socket.close({ code: 1012, reason: 'lost' });
        };
      });
      await opensPaused(visit, '?name=lost');
      await send({ name: 'lost' });
      await expect.poll(() => fresh(visit), { timeout: 20_000 }).toEqual(['1 new']);
      isDeaf = true;
      await send({ name: 'lost' });
      await send({ name: 'lost' });
      lose();
      isDeaf = false;
      await expect.poll(() => fresh(visit), { timeout: 20_000 }).toEqual(['3 new']);
      await visit.page.getByRole('button', { name: '3 new' }).click();
      await expect.poll(() => names(visit)).toEqual(['lost', 'lost', 'lost']);
      expect(await fresh(visit)).toEqual([]);
    }));

  it.each([
    ['a session', '?session=s-1', { name: 'order.paid', session: 's-1' }, { name: 'order.paid', session: 's-2' }],
    ['tags', '?tag.region=eu', { name: 'order.paid', tags: { region: 'eu' } }, { name: 'order.paid' }],
    ['no match', '?unmatched=1', { name: 'stray' }, { name: 'order.paid' }],
    ['a start in the future', '?since=2099-01-01', undefined, { name: 'order.paid' }],
  ] satisfies [string, string, Sent | undefined, Sent][])(
    'counts only new events that the filter of %s lets through',
    (_filter, search, wanted, other) =>
      test.visit(async (visit) => {
        await opensPaused(visit, search);
        await send(other);
        if (wanted) await send(wanted);
        if (wanted) await expect.poll(() => fresh(visit), { timeout: 20_000 }).toEqual(['1 new']);
        // Longer than the list waits before it reads what came in.
        await visit.page.waitForTimeout(3_000);
        expect(await fresh(visit)).toEqual(wanted ? ['1 new'] : []);
      }),
  );

  it('takes new events in by itself while nobody points at the list, unless it is paused', () =>
    test.visit(async (visit) => {
      await visit.openSignedIn('/p/default/events?name=seen');
      await visit.page.getByText('No event matches these filters').waitFor();
      await send({ name: 'seen' });
      await expect.poll(() => names(visit), { timeout: 20_000 }).toEqual(['seen']);
      await visit.page.getByRole('button', { name: 'Pause' }).click();
      await send({ name: 'seen' });
      await expect.poll(() => fresh(visit), { timeout: 20_000 }).toEqual(['1 new']);
      expect(await names(visit)).toEqual(['seen']);
      await visit.page.getByRole('button', { name: 'Follow' }).click();
      await expect.poll(() => names(visit), { timeout: 20_000 }).toEqual(['seen', 'seen']);
    }));
});
