import { createHmac } from 'node:crypto';
import type { Route } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { fewDresses, fits } from '../kit/looks.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';
import type { Visit } from '../kit/visit.ts';

// A page about one thing has its name and its way back in all states, in one place.

interface Thing {
  /** The path of the page. */
  path: string;
  /** The path of the list, or of the thing, that the page leads back to. */
  back: string;
  /** The heading once the thing is known. */
  name: string;
}

/** What the head is like: the same elements, at the same place, or it was drawn anew. */
const headOf = `(() => {
  const [heading, back] = document.querySelectorAll('main header h1, main header p a');
  const top = ({ y, x }) => [Math.round(x), Math.round(y)].join();
  return [heading, back].map((each) => {
    each.mark ??= Math.random();
    return [each.mark, top(each.getBoundingClientRect())].join(' ');
  });
})()`;

describe.skipIf(withoutBrowser)('the head of a page about one thing', () => {
  const things: Thing[] = [];
  const test = useConsole(async (site) => {
    const receiver = `${site.service.baseUrl}/nothing`;
    const create = 'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { secret } }';
    await site.operate(create, { input: { name: 'mirror', url: receiver, eventKinds: ['RUN_SUCCEEDED'] } });
    const shop = site.client('shop');
    shop.workflow({ id: 'ship order', triggers: [{ event: 'order.paid' }] }, () => 'shipped');
    shop.workflow({ id: 'refund' }, ({ step }) =>
      step.approval('sign off', { tool: 'pay back', args: {}, risk: 'low' }),
    );
    await site.connect(shop, 'warehouse-1');
    await shop.events.send({ name: 'order.paid', data: {}, session: 'basket 7' });
    await shop.workflows.trigger({ app: 'shop', name: 'refund' });
    await receive(site.service.baseUrl, await createSource());
    type List = { nodes: { id: string }[] };
    type Found = Record<
      | 'runs'
      | 'events'
      | 'approvals'
      | 'webhookDeliveries'
      | 'webhookSourceDeliveries'
      | 'webhookEndpoints'
      | 'webhookSources',
      List
    >;
    const read = `{
      runs(first: 1, filter: { workflow: "ship order" }) { nodes { id } }
      events(first: 1, name: "order.paid") { nodes { id } }
      approvals(first: 1) { nodes { id } }
      webhookDeliveries(first: 1) { nodes { id } }
      webhookSourceDeliveries(first: 1) { nodes { id } }
      webhookEndpoints { nodes { id } }
      webhookSources { nodes { id } }
    }`;
    await vi.waitFor(
      async () => {
        const found = await site.operate<Found>(read);
        const idOf = (list: { id: string }[]): string => {
          const [first] = list;
          if (!first) throw new Error('not there yet');
          return first.id;
        };
        const run = `runs/${idOf(found.runs.nodes)}`;
        const endpoint = `webhooks/endpoints/${idOf(found.webhookEndpoints.nodes)}`;
        const source = `webhooks/sources/${idOf(found.webhookSources.nodes)}`;
        const delivery = `webhooks/deliveries/${idOf(found.webhookDeliveries.nodes)}`;
        const inbound = `webhooks/inbound/${idOf(found.webhookSourceDeliveries.nodes)}`;
        const seen = [
          [run, 'runs', 'ship order'],
          [`runs/compare?a=${idOf(found.runs.nodes)}`, 'runs', 'Compare two runs'],
          [`events/${idOf(found.events.nodes)}`, 'events', 'order.paid'],
          ['workflows/shop/ship%20order', 'workflows', 'ship order'],
          ['workflows/shop/ship%20order/trigger', 'workflows/shop/ship%20order', 'Start a run'],
          [`approvals/${idOf(found.approvals.nodes)}`, 'approvals', 'pay back'],
          ['sessions/basket%207', 'sessions', 'basket 7'],
          [endpoint, 'webhooks/endpoints', 'mirror'],
          [`${endpoint}/edit`, endpoint, 'Edit the endpoint'],
          [delivery, 'webhooks/deliveries', 'Run succeeded'],
          [source, 'webhooks/sources', 'github'],
          [`${source}/edit`, source, 'Edit the source'],
          [inbound, 'webhooks/inbound', 'Inbound webhook'],
        ].map(([path = '', back = '', name = '']) => ({
          path: `/p/default/${path}`,
          back: `/p/default/${back}`,
          name,
        }));
        things.splice(0, things.length, ...seen);
      },
      { timeout: 60_000, interval: 250 },
    );
  });

  type Source = { secret: string; webhookSource: { token: string } };
  const createSource = async (): Promise<Source> =>
    (
      await test.site.operate<{ createWebhookSource: Source }>(
        `mutation { createWebhookSource(input: { name: "github", eventName: "push", scheme: GITHUB }) {
          secret webhookSource { token } } }`,
      )
    ).createWebhookSource;

  async function receive(baseUrl: string, { secret, webhookSource }: Source): Promise<void> {
    const body = '{"ref":"main"}';
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
    await fetch(`${baseUrl}/webhooks/${webhookSource.token}`, { method: 'POST', headers, body });
  }

  /** Checks that the page has a name and leads back to its list. */
  async function isThere({ page }: Visit, { path, back }: Thing): Promise<void> {
    const main = page.locator('main');
    await main.getByRole('heading', { level: 1 }).waitFor();
    const href = await main.locator('header p a').first().getAttribute('href');
    expect({ path, back: href?.replace(/\?.*/, '') }).toEqual({ path, back: `/console${back}` });
  }

  /** Checks the heads of the pages while they load, fail, and show their things. */
  async function stay(visit: Visit, of: readonly Thing[]): Promise<void> {
    const { page } = visit;
    const main = page.locator('main');
    let held: Route[] | undefined;
    await page.route('**/graphql', async (route) => {
      if (held && !route.request().postData()?.includes('query Viewer ')) held.push(route);
      else await route.continue();
    });
    const answerAll = async (answer: (route: Route) => Promise<void>): Promise<void> => {
      const routes = held ?? [];
      held = [];
      for (const route of routes) await answer(route);
    };
    const json = { errors: [{ message: 'a trial', extensions: { code: 'INTERNAL' } }] };
    for (const thing of of) {
      held = [];
      await visit.open(thing.path);
      await main.getByRole('status', { name: 'Loading' }).first().waitFor();
      await isThere(visit, thing);
      const before = await visit.evaluate(headOf);
      await fits(visit, `${thing.path} loads`, fewDresses);
      await visit.dress('light', 1280);
      await vi.waitFor(() => expect(held?.length).toBeGreaterThan(0));
      await answerAll((route) => route.fulfill({ json }));
      await main.getByRole('alert').filter({ hasText: 'The service failed' }).first().waitFor();
      await isThere(visit, thing);
      expect({ ...thing, head: await visit.evaluate(headOf) }).toEqual({ ...thing, head: before });
      await fits(visit, `${thing.path} fails`, fewDresses);
      await visit.dress('light', 1280);
      await answerAll((route) => route.continue());
      held = undefined;
      await main.getByRole('button', { name: 'Try again' }).first().click();
      await main.getByRole('heading', { level: 1, name: thing.name }).waitFor();
      await visit.settled();
      await isThere(visit, thing);
      expect({ ...thing, head: await visit.evaluate(headOf) }).toEqual({ ...thing, head: before });
    }
  }

  it('stays in its place while the page loads, fails and shows the thing', { timeout: 400_000 }, () =>
    test.visit({ keepsKey: true, expects: /status of 503/ }, async (visit) => {
      await visit.openSignedIn('/p/default/settings');
      await visit.settled();
      await stay(visit, things);
    }),
  );

  it('stays in its place on the page of a project, for the operator', { timeout: 120_000 }, () =>
    test.visit({ keepsKey: true, expects: /status of 503/ }, async (visit) => {
      const projects = '/operator/projects';
      await visit.openSignedIn(projects, test.site.keys.operator);
      await visit.settled();
      await stay(visit, [{ path: `${projects}/${test.site.projectId}`, back: projects, name: 'default' }]);
    }),
  );

  it('says that there is no such project, and leads back', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      const unknown = '00000000-0000-7000-8000-000000000000';
      await visit.openSignedIn(`/operator/projects/${unknown}`, test.site.keys.operator);
      await page.getByRole('alert').filter({ hasText: 'Not found' }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(1);
      expect(await page.getByRole('button', { name: 'Issue a key' }).count()).toBe(0);
      await page.locator('main header').getByRole('link', { name: 'Projects' }).click();
      await page.getByText('Platform keys').waitFor();
    }));
});
