import { describe, expect, it, vi } from 'vitest';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';
import type { Visit } from '../kit/visit.ts';

// Trouble that a person meets: each kind is said in words, and no input is lost.

const form = '/p/default/events/new';

/** Chromium notes refused requests, and sockets and requests without an answer. */
const refusal = /status of (40[0-4]|50[23])|WebSocket|ERR_|Failed to (load|fetch)/;

describe.skipIf(withoutBrowser)('the console in bad weather', { timeout: 120_000 }, () => {
  const test = useConsole(async (site) => {
    const shop = site.client('shop');
    shop.workflow({ id: 'ship order' }, () => 'shipped');
    shop.workflow({ id: 'remind customer' }, ({ step }) => step.sleep('three days', '3d'));
    await site.connect(shop, 'warehouse-1');
  });

  const start = (name: string): Promise<unknown> =>
    test.site.operate(
      'mutation ($name: String!) { triggerWorkflow(input: { app: "shop", name: $name, input: {} }) { runId } }',
      { name },
    );

  /** Opens the form that sends an event, and writes into it. */
  async function writes(visit: Visit, key = test.site.keys.secret): Promise<void> {
    await visit.openSignedIn(form, key);
    await visit.page.getByLabel('Name', { exact: true }).fill('order.paid');
  }
  const written = (visit: Visit): Promise<string> => visit.page.getByLabel('Name', { exact: true }).inputValue();

  it('keeps what was written when the key is revoked, and goes on with another', () =>
    test.visit({ expects: refusal }, async (visit) => {
      const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { token apiKey { id } } }';
      type Created = { createApiKey: { token: string; apiKey: { id: string } } };
      const input = { name: 'short', kind: 'SECRET', projectId: test.site.projectId };
      const { token, apiKey } = (await test.site.operate<Created>(create, { input })).createApiKey;
      await writes(visit, token);
      await test.site.operate('mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { apiKey { id } } }', {
        id: apiKey.id,
      });
      await visit.page.getByRole('button', { name: 'Send', exact: false }).last().click();
      await visit.page.getByRole('dialog').getByText('Sign in again').waitFor();
      expect(await written(visit)).toBe('order.paid');
      await visit.signIn(test.site.keys.secret);
      await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await written(visit)).toBe('order.paid');
    }));

  it('says at the field that a key has expired', () =>
    test.visit({ expects: refusal }, async (visit) => {
      const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { token } }';
      const expiresAt = new Date(Date.now() + 1_500).toISOString();
      const input = { name: 'brief', kind: 'SECRET', projectId: test.site.projectId, expiresAt };
      const { createApiKey } = await test.site.operate<{ createApiKey: { token: string } }>(create, { input });
      await expect
        .poll(
          () => fetch(`${test.site.service.baseUrl}/runs`, { headers: bearer(createApiKey.token) }).then(statusOf),
          {
            timeout: 20_000,
          },
        )
        .toBe(401);
      await visit.open();
      await visit.signIn(createApiKey.token);
      await visit.page
        .getByRole('alert')
        .filter({ hasText: /revoked or expired/ })
        .waitFor();
    }));

  it('says that a project is suspended, and disables what starts runs', () =>
    test.visit(async (visit) => {
      const suspend =
        'mutation ($id: ID!, $suspended: Boolean!) { updateProject(input: { id: $id, suspended: $suspended }) { project { id } } }';
      await test.site.operate(suspend, { id: test.site.projectId, suspended: true });
      try {
        await visit.openSignedIn('/p/default/runs');
        await visit.page.getByText('The project is suspended').first().waitFor();
        await visit.page.getByRole('button', { name: /^Replay all matching .*suspended/ }).waitFor();
      } finally {
        await test.site.operate(suspend, { id: test.site.projectId, suspended: false });
      }
    }));

  it('says that live updates are interrupted while the service is away, and goes on by itself', () =>
    test.visit({ expects: refusal }, async (visit) => {
      await start('remind customer');
      await visit.openSignedIn('/p/default/runs');
      await visit.page
        .getByRole('cell', { name: /remind customer/ })
        .first()
        .waitFor();
      await test.site.restart(async () => {
        await visit.page.getByText('Live updates are interrupted').waitFor();
        expect(await visit.page.getByRole('cell', { name: /remind customer/ }).count()).toBeGreaterThan(0);
      });
      await visit.page.getByText('Live updates are interrupted').waitFor({ state: 'detached' });
      const before = await visit.page.locator('tr[data-index]').count();
      // The runner connects again by itself.
      await vi.waitFor(() => start('remind customer'), { timeout: 30_000, interval: 250 });
      await expect.poll(() => visit.page.locator('tr[data-index]').count(), { timeout: 30_000 }).toBe(before + 1);
    }));

  it('shows a run that started while the first socket of the tab was slow', () =>
    test.visit(async (visit) => {
      let connect = (): void => {};
      const release = new Promise<void>((resolve) => {
        connect = resolve;
      });
      await visit.page.routeWebSocket(/graphql/, (socket) => {
        const server = socket.connectToServer();
        socket.onMessage((message) => void release.then(() => server.send(message)));
      });
      await start('ship order');
      await visit.openSignedIn('/p/default/runs');
      const rows = visit.page.locator('tr[data-index]');
      await rows.first().waitFor();
      const before = await rows.count();
      await start('remind customer');
      await expect.poll(asleep).toBe(true);
      expect(await rows.count()).toBe(before);
      connect();
      await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(before + 1);
    }));

  /** Whether the newest run has come to rest, so that nothing more is sent of it. */
  async function asleep(): Promise<boolean> {
    const { runs } = await test.site.operate<{ runs: { nodes: { status: string }[] } }>(
      '{ runs(first: 1) { nodes { status } } }',
    );
    return runs.nodes[0]?.status === 'WAITING';
  }

  it('keeps what was written while the service is away', () =>
    test.visit({ expects: refusal }, async (visit) => {
      await writes(visit);
      await test.site.restart(async () => {
        await visit.page.getByRole('button', { name: 'Send', exact: false }).last().click();
        await visit.page.getByText('The service does not answer').first().waitFor();
        expect(await written(visit)).toBe('order.paid');
      });
      expect(await written(visit)).toBe('order.paid');
    }));

  it('keeps a kept key over a reload while the service cannot answer', () =>
    test.visit({ expects: refusal, keepsKey: true }, async (visit) => {
      await visit.openSignedIn('/p/default/runs');
      await visit.page.route('**/graphql', (route) => route.fulfill({ status: 503, body: 'a deploy' }));
      await visit.page.reload();
      await visit.page.getByText('The console keeps your key').waitFor();
      await visit.page.unroute('**/graphql');
      await visit.page.getByRole('heading', { name: /Runs/ }).first().waitFor();
    }));

  it('offers a reload to a tab that is older than the service, and keeps the address', () =>
    test.visit({ expects: refusal }, async (visit) => {
      await visit.openSignedIn('/p/default/runs');
      await visit.page.route(/\/assets\/FlowPage-/, (route) => route.fulfill({ status: 404 }));
      await visit.page.getByRole('link', { name: 'Flow', exact: true }).first().click();
      await visit.page.getByText('The console has a newer version').waitFor();
      expect(new URL(visit.page.url()).pathname).toBe('/console/p/default/flow');
      await visit.page.unroute(/\/assets\/FlowPage-/);
      await visit.page.getByRole('button', { name: 'Reload' }).click();
      await visit.signIn(test.site.keys.secret);
      await visit.page.getByRole('heading', { name: /Flow/ }).first().waitFor();
      expect(new URL(visit.page.url()).pathname).toBe('/console/p/default/flow');
    }));

  it.each([-3_600_000, 3_600_000])(
    'counts by the clock of the service, when that of the browser is off by %i ms',
    (off) =>
      test.visit(async (visit) => {
        await visit.page.clock.install({ time: Date.now() + off });
        await visit.page.clock.resume();
        await start('remind customer');
        await visit.openSignedIn('/p/default/runs');
        const row = visit.page.locator('tr[data-index="0"]');
        await row.filter({ hasText: 'remind customer' }).waitFor();
        await expect.poll(() => row.textContent(), { timeout: 20_000 }).toMatch(/now|second|\b\d+ ?s\b/);
        expect(await row.textContent()).not.toMatch(/hour|\dh\b|1 h/);
      }),
  );

  it('reads again what is on screen after a gap, also far down the list', () =>
    test.visit({ expects: refusal }, async (visit) => {
      const { page } = visit;
      let isDeaf = false;
      let lose = (): void => {};
      await page.routeWebSocket(/graphql/, (socket) => {
        const server = socket.connectToServer();
        server.onMessage((message) => {
          if (!isDeaf) socket.send(message);
        });
        lose = () => {
          void server.close();
          void socket.close({ code: 1012, reason: 'lost' });
        };
      });
      for (let n = 0; n < 70; n += 1) await start('remind customer');
      await visit.openSignedIn('/p/default/runs?workflow=remind+customer&status=waiting,cancelled');
      await page.locator('tr[data-index="0"]').waitFor();
      const row = page.locator('tr[data-index="65"]');
      // The list grows below while one scrolls.
      await expect
        .poll(
          async () => {
            await page.evaluate('scrollTo(0, 1e6)');
            return row.count();
          },
          { timeout: 30_000 },
        )
        .toBe(1);
      const id = ((await row.getByRole('checkbox').getAttribute('aria-label')) ?? '').slice(-36);
      isDeaf = true;
      const cancel = 'mutation ($id: ID!) { cancelRun(input: { runId: $id }) { run { status } } }';
      await test.site.operate(cancel, { id });
      expect(await row.textContent()).not.toContain('Cancelled');
      lose();
      isDeaf = false;
      await row.filter({ hasText: 'Cancelled' }).waitFor();
      expect(await row.getByRole('checkbox').getAttribute('aria-label')).toContain(id);
    }));

  it('misses no change over 20 lost sockets', () =>
    test.visit({ expects: refusal }, async (visit) => {
      const close: (() => void)[] = [];
      const places: unknown[] = [];
      await visit.page.routeWebSocket(/graphql/, (socket) => {
        const server = socket.connectToServer();
        socket.onMessage((message) => {
          server.send(message);
          const { type, payload } = JSON.parse(String(message)) as { type: string; payload?: Subscribed };
          if (type === 'subscribe' && payload?.query.includes('runStatusChanges')) places.push(payload.variables.after);
        });
        server.onMessage((message) => {
          socket.send(message);
          if (!String(message).includes('connection_ack')) return;
          close.push(() => {
            void server.close();
            void socket.close({ code: 1012, reason: 'lost' });
          });
        });
      });
      await start('ship order');
      await visit.openSignedIn('/p/default/runs');
      await visit.page.locator('tr[data-index]').first().waitFor();
      for (let lost = 1; lost <= 20; lost += 1) {
        await expect.poll(() => close.length, { timeout: 60_000 }).toBe(lost);
        close[lost - 1]?.();
        await start('ship order');
      }
      await expect.poll(() => close.length, { timeout: 60_000 }).toBe(21);
      type Read = { runs: { nodes: { id: string; status: string }[] } };
      const rows = `[...document.querySelectorAll('tr[data-index]')].slice(0, 10).map((row) =>
        row.querySelector('input').getAttribute('aria-label').slice(-36) + ' ' + row.cells[1].textContent.trim().toUpperCase())`;
      // New rows wait until they are asked for, so that no row moves under the pointer.
      const newRuns = visit.page.getByRole('button', { name: /^\d+ new/ });
      await vi.waitFor(
        async () => {
          if (await newRuns.isVisible()) await newRuns.click();
          const { runs } = await test.site.operate<Read>('{ runs(first: 10) { nodes { id status } } }');
          const wanted = runs.nodes.map(({ id, status }) => `${id} ${status}`);
          expect(wanted.filter((row) => row.endsWith('QUEUED'))).toEqual([]);
          expect(await visit.evaluate(rows)).toEqual(wanted);
        },
        { timeout: 30_000, interval: 250 },
      );
      // Each socket goes on where the one before had come to.
      const [first, ...later] = places;
      expect(first).toBeUndefined();
      expect(later.length).toBeGreaterThanOrEqual(20);
      expect(later.filter((place) => typeof place !== 'string')).toEqual([]);
      expect(new Set(later).size).toBeGreaterThan(1);
    }));
});

interface Subscribed {
  query: string;
  variables: { after?: string };
}

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const statusOf = ({ status }: Response): number => status;
