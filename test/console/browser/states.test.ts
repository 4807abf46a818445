import type { Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { dresses, fewDresses, fits } from '../kit/looks.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';
import type { Visit } from '../kit/visit.ts';

// The states of a page that has no content to show: each page looks right in each of them. The
// tests mostly wait for their pages, so they run side by side.

const id = '0190a000-0000-7000-8000-000000000000';

/** The pages of a project, and the text of each where nothing was done yet. */
const lists: [path: string, empty: string | RegExp][] = [
  ['/?range=24h', 'No run started in this time'],
  ['/runs', 'No run has started yet'],
  ['/events', 'No event has come in yet'],
  ['/workflows', 'No workflow is registered yet'],
  ['/approvals?open=1', 'Nothing waits for a decision'],
  ['/flow', 'Nothing is held back'],
  ['/ai', 'No model was called in this time'],
  ['/sessions', 'There is no session yet'],
  ['/runners', 'No runner has registered yet'],
  ['/webhooks/endpoints', 'No endpoint yet'],
  ['/webhooks/deliveries', 'No delivery yet'],
  ['/webhooks/sources', 'No source yet'],
  ['/webhooks/inbound', 'No message yet'],
  // The project and its keys were made.
  ['/audit', 'Create API key'],
];

/** Pages of one thing. Whether it is there is not known before an answer. */
const details: [path: string, unknown: string | RegExp][] = [
  [`/runs/${id}`, 'No run of this project has this id'],
  [`/runs/compare?a=${id}&b=${id}`, 'No run of this project has this id'],
  [`/events/${id}`, 'No event of this project has this id'],
  ['/workflows/shop/ship', /No workflow “ship” of shop/],
  [`/approvals/${id}`, 'No approval of this project has this id'],
  ['/sessions/s-1', 'The project has no such session'],
  [`/webhooks/endpoints/${id}`, 'No endpoint of this project has this id'],
  [`/webhooks/endpoints/${id}/edit`, /No endpoint has the id/],
  [`/webhooks/deliveries/${id}`, 'No delivery of this project has this id'],
  [`/webhooks/sources/${id}`, 'No source of this project has this id'],
  [`/webhooks/sources/${id}/edit`, /No source has the id/],
  [`/webhooks/inbound/${id}`, 'No message of this project has this id'],
];

describe.skipIf(withoutBrowser)(
  'each page of the console, light and dark, wide and narrow',
  { timeout: 400_000 },
  () => {
    let secret = '';
    let readOnly = '';
    const test = useConsole(async (site) => {
      const project = 'mutation { createProject(input: { name: "bare" }) { project { id } } }';
      type Made = { createProject: { project: { id: string } } };
      const projectId = (await site.operate<Made>(project)).createProject.project.id;
      const issue = async (kind: string): Promise<string> => {
        const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { token } }';
        const input = { name: `bare ${kind}`, kind, projectId };
        return (await site.operate<{ createApiKey: { token: string } }>(create, { input })).createApiKey.token;
      };
      [secret, readOnly] = [await issue('SECRET'), await issue('PUBLIC')];
    });

    /** Signs in to the project that holds nothing, with a key that stays over reloads. */
    const opens = (key: () => string, use: (visit: Visit) => Promise<void>): Promise<void> =>
      test.visit({ keepsKey: true, expects: /status of 503/ }, async (visit) => {
        await visit.openSignedIn('/p/bare/settings', key());
        await visit.settled();
        await use(visit);
      });

    /** Holds all requests back but that for the owner of the key, until `answerAll`. */
    class Held {
      readonly #routes: Route[] = [];
      #code: string | undefined;

      static async of({ page }: Visit): Promise<Held> {
        const held = new Held();
        await page.route('**/graphql', async (route) => {
          if (route.request().postData()?.includes('query Viewer ')) return route.continue();
          if (held.#code === undefined) held.#routes.push(route);
          else await answer(route, held.#code);
        });
        return held;
      }

      holdAll(): void {
        this.#code = undefined;
        this.#routes.length = 0;
      }

      async answerAll(code: string): Promise<void> {
        this.#code = code;
        for (const route of this.#routes.splice(0)) await answer(route, code);
      }
    }
    const answer = (route: Route, code: string): Promise<void> =>
      route.fulfill({
        status: code === 'BUSY' ? 503 : 200,
        json: { errors: [{ message: 'a trial', extensions: { code } }] },
      });

    it.concurrent('says what is not there yet', () =>
      opens(
        () => secret,
        async (visit) => {
          for (const [path, text] of [...lists, ...details]) {
            await visit.open(`/p/bare${path}`);
            await visit.page.locator('main').getByText(text).filter({ visible: true }).first().waitFor();
            await visit.settled();
            await fits(visit, path, fewDresses);
          }
        },
      ));

    it.concurrent('shows rows of grey while it loads, and then in each panel what went wrong', () =>
      opens(
        () => secret,
        async (visit) => {
          const held = await Held.of(visit);
          const main = visit.page.locator('main');
          for (const [path, text] of [...lists, ...details]) {
            held.holdAll();
            await visit.open(`/p/bare${path}`);
            await main.getByRole('status', { name: 'Loading' }).first().waitFor();
            expect({ path, says: await main.getByText(text).filter({ visible: true }).count() }).toEqual({
              path,
              says: 0,
            });
            await fits(visit, `${path} loads`, fewDresses);
            await held.answerAll('INTERNAL');
            await main.getByRole('alert').filter({ hasText: 'The service failed' }).first().waitFor();
            await main.getByRole('button', { name: 'Try again' }).first().waitFor();
            await visit.page.getByRole('button', { name: /^Find a run/ }).waitFor();
            expect({ path, says: await main.getByText(text).filter({ visible: true }).count() }).toEqual({
              path,
              says: 0,
            });
            await fits(visit, `${path} fails`, fewDresses);
          }
        },
      ));

    it.concurrent('says that the service is busy, and goes on by itself once it answers', () =>
      opens(
        () => secret,
        async (visit) => {
          const held = await Held.of(visit);
          await held.answerAll('BUSY');
          await visit.open('/p/bare/runs');
          await visit.page.getByRole('status').filter({ hasText: 'The service is busy' }).first().waitFor();
          await fits(visit, 'busy', dresses);
          await visit.page.unroute('**/graphql');
          await visit.page.getByText('No run has started yet').waitFor();
          await visit.page.getByText('The service is busy').first().waitFor({ state: 'detached' });
        },
      ));

    it.concurrent('disables with a reason what a key that only reads may not do', () =>
      opens(
        () => readOnly,
        async (visit) => {
          for (const [path, controls] of [
            ['/runs', ['Replay all matching', 'Cancel all matching']],
            ['/events/new', ['Send']],
            ['/workflows/shop/ship/trigger', ['Start']],
            ['/webhooks/endpoints', ['New endpoint']],
            ['/webhooks/endpoints/new', ['Create the endpoint']],
            ['/webhooks/deliveries', ['Redeliver all matching']],
            ['/webhooks/sources', ['New source']],
            ['/webhooks/sources/new', ['Create the source']],
            ['/settings', ['Manage']],
          ] as const) {
            await visit.open(`/p/bare${path}`);
            for (const name of controls) {
              const control = visit.page.getByRole('button', { name: new RegExp(`^${name} \\(needs`) }).first();
              await control.waitFor();
              expect(await control.getAttribute('aria-disabled')).toBe('true');
            }
            await visit.settled();
            await fits(visit, path, fewDresses);
          }
        },
      ));
  },
);
