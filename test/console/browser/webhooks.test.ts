import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { lookRight, looksRight } from '../kit/looks.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';

const endpoints = '/p/default/webhooks/endpoints';
const deliveries = '/p/default/webhooks/deliveries';
const sources = '/p/default/webhooks/sources';
const inbound = '/p/default/webhooks/inbound';
const unknownId = '0190a000-0000-7000-8000-000000000000';

describe.skipIf(withoutBrowser)('the pages of webhooks', () => {
  const test = useConsole();
  let receiver: Server;
  let url = '';
  let sourceId = '';
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      request.resume();
      response.writeHead(503, { 'x-upstream': 'lb-3' }).end('<script>alert(1)</script>');
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
  });
  afterAll(() => void receiver.close());

  it('say what they are for where nothing is there', { timeout: 240_000 }, async () => {
    await lookRight(test, {}, [
      { path: endpoints, shows: 'No endpoint yet' },
      { path: `${endpoints}/${unknownId}`, shows: /No endpoint/ },
      { name: 'endpoint-new', path: `${endpoints}/new`, shows: 'Create the endpoint' },
      { path: deliveries, shows: 'No delivery yet' },
      { path: `${deliveries}/${unknownId}`, shows: 'No delivery of this project has this id' },
      { path: sources, shows: 'No source yet' },
      { path: `${sources}/${unknownId}`, shows: /No source/ },
      { name: 'source-new', path: `${sources}/new`, shows: 'Create the source' },
      { path: inbound, shows: 'No message yet' },
      { path: `${inbound}/${unknownId}`, shows: 'No message of this project has this id' },
    ]);
  });

  it(
    'say at the field what the service refuses, and show the secret of a new endpoint once',
    { timeout: 120_000 },
    () =>
      test.visit(async (visit) => {
        const { page } = visit;
        await visit.openSignedIn(`${endpoints}/new`);
        await page.getByLabel('Address').fill('ftp://a.example');
        await page.getByRole('button', { name: 'Create the endpoint' }).click();
        await page.getByText('url must be an http or https URL').waitFor();
        await page.getByLabel('Address').fill(url);
        await page.getByLabel('Name', { exact: true }).fill('mirror');
        await page.getByRole('button', { name: 'Create the endpoint' }).click();
        const secret = await page.getByRole('dialog').locator('code').first().textContent();
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'I have stored it' }).click();
        await page.getByRole('heading', { name: 'mirror' }).waitFor();
        expect(await page.content()).not.toContain(secret ?? 'no secret');
      }),
  );

  it('show the worst endpoint with what it answers, and redeliver what failed', { timeout: 300_000 }, async () => {
    const shop = test.site.client('shop');
    shop.workflow({ id: 'ship order' }, () => 'shipped');
    await test.site.connect(shop, 'warehouse-1');
    for (let n = 0; n < 3; n += 1) await shop.workflows.trigger({ app: 'shop', name: 'ship order' });
    const failed = '{ webhookDeliveries(status: FAILED) { nodes { id endpointId } } }';
    type Found = { webhookDeliveries: { nodes: { id: string; endpointId: string }[] } };
    const read = (): Promise<Found> => test.site.operate<Found>(failed);
    await vi.waitFor(async () => expect((await read()).webhookDeliveries.nodes).toHaveLength(3), { timeout: 60_000 });
    const [delivery] = (await read()).webhookDeliveries.nodes;
    const endpoint = `${endpoints}/${delivery?.endpointId}`;
    await lookRight(test, {}, [
      { name: 'endpoints', path: endpoints, shows: 'mirror' },
      { name: 'endpoint', path: endpoint, shows: 'Without a success since' },
      { name: 'endpoint-edit', path: `${endpoint}/edit`, shows: 'Save' },
      { name: 'deliveries', path: deliveries, shows: 'Redeliver all matching' },
      { name: 'deliveries-none-match', path: `${deliveries}?kind=custom`, shows: 'No delivery matches these filters' },
      { name: 'delivery', path: `${deliveries}/${delivery?.id}`, shows: 'Headers sent' },
      {
        name: 'redeliver',
        path: `${deliveries}?status=failed`,
        shows: 'Redeliver all matching',
        before: async ({ page }) => {
          await page.getByRole('button', { name: 'Redeliver all matching' }).click();
          await page.getByText('3 of 3 matching deliveries').waitFor();
        },
      },
    ]);
    await test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(
        `/p/default/webhooks/deliveries?status=failed,exhausted&endpoint=${delivery?.endpointId}`,
      );
      await page.getByRole('button', { name: 'Redeliver all matching' }).click();
      await page.getByText('3 of 3 matching deliveries').waitFor();
      await page.getByRole('button', { name: 'Redeliver 3' }).click();
      await page.getByText('3 on their way again').waitFor();
      await page.goto(test.site.address('/p/default/webhooks/deliveries?kind=custom'));
      await visit.signIn(test.site.keys.secret);
      await page.getByRole('button', { name: 'Drop kind: custom' }).waitFor();
    });
  });

  describe('tell a person on call which endpoint fails, and redeliver', () => {
    const failed = '{ webhookDeliveries(status: FAILED) { nodes { id } } }';
    type Found = { webhookDeliveries: { nodes: object[] } };
    const haveFailed = (): Promise<void> =>
      vi.waitFor(async () => expect((await test.site.operate<Found>(failed)).webhookDeliveries.nodes).toHaveLength(3), {
        timeout: 60_000,
      });

    it('with three clicks', { timeout: 120_000 }, async () => {
      await haveFailed();
      await test.visit(async (visit) => {
        const { page } = visit;
        await visit.openSignedIn(endpoints);
        await visit.click(page.locator('[data-row-link]').first());
        await page.getByText('Without a success since').waitFor();
        await visit.click(page.getByRole('button', { name: 'Redeliver all matching' }));
        await visit.click(page.getByRole('button', { name: 'Redeliver 3' }));
        await page.getByText('3 on their way again').waitFor();
        expect(visit.clicks).toBe(3);
      });
    });

    it('without a mouse', { timeout: 120_000 }, async () => {
      await haveFailed();
      await test.visit(async (visit) => {
        const { page } = visit;
        await visit.openSignedIn(endpoints);
        await page.locator('[data-row-link]').first().waitFor();
        await visit.tabTo(/^mirror/);
        await page.keyboard.press('Enter');
        await page.getByText('Without a success since').waitFor();
        await page.locator('[data-row-link]').first().waitFor();
        await visit.tabTo(/^Redeliver all matching/);
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Redeliver 3' }).waitFor();
        await visit.tabTo(/^Redeliver 3/);
        await page.keyboard.press('Enter');
        await page.getByText('3 on their way again').waitFor();
      });
    });
  });

  it('show messages of a source with the reason of a refusal, and replay a verified one', {
    timeout: 300_000,
  }, async () => {
    const create = `mutation { createWebhookSource(input: { name: "github", eventName: "push", scheme: GITHUB }) {
      secret webhookSource { id token } } }`;
    type Made = { createWebhookSource: { secret: string; webhookSource: { id: string; token: string } } };
    const { secret, webhookSource } = (await test.site.operate<Made>(create)).createWebhookSource;
    sourceId = webhookSource.id;
    const body = '{"id":"d1","ref":"main"}';
    const send = async (key: string): Promise<number> => {
      const signature = `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
      const address = `${test.site.service.baseUrl}/webhooks/${webhookSource.token}`;
      return (await fetch(address, { method: 'POST', headers, body })).status;
    };
    expect([await send(secret), await send('another')]).toEqual([202, 401]);
    const source = `${sources}/${webhookSource.id}`;
    const messages = '{ webhookSourceDeliveries(first: 1, status: INGESTED) { nodes { id } } }';
    type Messages = { webhookSourceDeliveries: { nodes: { id: string }[] } };
    const [message] = (await test.site.operate<Messages>(messages)).webhookSourceDeliveries.nodes;
    await lookRight(test, {}, [
      { name: 'sources', path: sources, shows: 'github' },
      { name: 'source', path: source, shows: 'No valid secret made its signature' },
      { name: 'source-edit', path: `${source}/edit`, shows: 'Save' },
      { name: 'inbound', path: inbound, shows: 'No valid secret made its signature' },
      { name: 'inbound-none-match', path: `${inbound}?status=deduped`, shows: 'No message matches these filters' },
      {
        name: 'message',
        path: `${inbound}/${message?.id}`,
        shows: 'Headers',
        before: ({ page }) => page.getByRole('button', { name: 'Show the body' }).click(),
      },
    ]);
    await test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn('/p/default/webhooks/inbound?status=ingested');
      await page.locator('[data-row-link]').first().click();
      await page.getByRole('button', { name: 'Show the body' }).click();
      await page.getByText('"main"').waitFor();
      await page.getByRole('button', { name: 'Replay' }).click();
      await page.getByText('effects repeat').waitFor();
      await page.getByRole('button', { name: 'Replay 1 message' }).click();
      await page.getByText('Became an event again').waitFor();
    });
  });

  it('disable changes for a public key, and hide the address of a source from it', () =>
    test.visit(async (visit) => {
      await visit.openSignedIn(endpoints, test.site.keys.public);
      await visit.page.getByRole('button', { name: 'New endpoint (needs a secret key)' }).first().waitFor();
      await visit.open(`${sources}/${sourceId}`);
      await visit.signIn(test.site.keys.public);
      await visit.page.getByRole('button', { name: 'Show the address (needs a secret key)' }).waitFor();
    }));

  it('tell in the audit log who did that, and link it', { timeout: 240_000 }, async () => {
    await looksRight(test, { name: 'audit-webhooks', path: '/p/default/audit', shows: 'Bulk redeliver' });
    await test.visit(async (visit) => {
      await visit.openSignedIn('/p/default/audit?action=create_webhook_endpoint');
      await visit.page.getByRole('link', { name: /^Endpoint …/ }).click();
      await visit.page.getByRole('heading', { name: 'mirror' }).waitFor();
    });
  });
});
