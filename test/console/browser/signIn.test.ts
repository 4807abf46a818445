import { describe, expect, it } from 'vitest';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';
import { themes, widths } from '../kit/visit.ts';

/** Chromium notes a refused request in its console. */
const refusal = /status of 40[0-4]/;

describe.skipIf(withoutBrowser)('signing in to the console', () => {
  const test = useConsole();

  it.each([
    ['secret', {}],
    ['public', {}],
    ['platform', { project: 'default', name: 'Ada Lovelace' }],
    ['operator', { project: 'default' }],
  ] as const)('works with a %s key that is pasted', (kind, who) =>
    test.visit(async (visit) => {
      await visit.open();
      await visit.signIn(test.site.keys[kind], who);
      await visit.page.getByLabel('API key').waitFor({ state: 'detached' });
      await visit.page.getByRole('navigation').first().waitFor();
    }),
  );

  it.each(['revoked', 'unknown'] as const)('says at the field that a key is %s, and keeps what was typed', (kind) =>
    test.visit({ expects: refusal }, async (visit) => {
      await visit.open();
      await visit.signIn(test.site.keys[kind]);
      await visit.page
        .getByRole('alert')
        .filter({ hasText: /revoked or expired/ })
        .waitFor();
      expect(await visit.page.getByLabel('API key').inputValue()).toBe(test.site.keys[kind]);
    }),
  );

  it('goes on to the link that was opened', () =>
    test.visit(async (visit) => {
      await visit.openSignedIn('/p/default/runs?status=failed');
      expect(new URL(visit.page.url()).pathname).toBe('/console/p/default/runs');
      expect(new URL(visit.page.url()).searchParams.get('status')).toBe('failed');
    }));

  it('forgets the key with a reload, unless the person asked to keep it', async () => {
    await test.visit(async (visit) => {
      await visit.openSignedIn();
      await visit.page.reload();
      await visit.page.getByLabel('API key').waitFor();
    });
    await test.visit({ keepsKey: true }, async (visit) => {
      await visit.openSignedIn();
      await visit.page.reload();
      await visit.page.getByRole('navigation').first().waitFor();
      const other = await visit.context.newPage();
      await other.goto(test.site.address());
      await other.getByRole('navigation').first().waitFor();
    });
  });

  it('works by the code of holdfast console, once, and the code leaves the address', () =>
    test.visit({ expects: refusal }, async (visit) => {
      const headers = { authorization: `Bearer ${test.site.keys.secret}` };
      const answer = await fetch(`${test.site.service.baseUrl}/console/codes`, { method: 'POST', headers });
      const { code } = (await answer.json()) as { code: string };
      await visit.open(`/#code=${code}`);
      await visit.page.getByRole('navigation').first().waitFor();
      expect(visit.page.url()).not.toContain(code);
      const other = await visit.context.newPage();
      await other.goto(test.site.address(`/#code=${code}`));
      await other.getByText(/code of this address was used/).waitFor();
    }));

  it('has no fault that axe finds, and fits', { timeout: 180_000 }, async () => {
    for (const width of widths)
      await test.visit({ width }, async (visit) => {
        await visit.open();
        await visit.page.getByLabel('API key').waitFor();
        for (const theme of themes) {
          await visit.choose(theme);
          expect({ theme, width, found: await visit.axe() }).toEqual({ theme, width, found: [] });
          expect(await visit.overflow()).toBe(0);
        }
      });
  });
});
