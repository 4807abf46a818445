import { describe, expect, it } from 'vitest';
import { looksRight } from '../kit/looks.ts';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';

const projects = '/operator/projects';

describe.skipIf(withoutBrowser)('the pages of the operator, and settings', () => {
  const test = useConsole();

  it('fit and have no fault that axe finds', { timeout: 400_000 }, async () => {
    await looksRight(test, { name: 'projects', path: projects, key: 'operator', shows: 'Platform keys' });
    await looksRight(test, {
      name: 'project',
      path: `${projects}/${test.site.projectId}`,
      key: 'operator',
      shows: 'Invoke secrets',
      before: ({ page }) => page.getByText('default secret').waitFor(),
    });
    await looksRight(test, {
      name: 'settings-public',
      path: '/p/default/settings',
      key: 'public',
      shows: 'This browser',
    });
  });

  it('show an issued key once, until the person says that it is stored', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(`${projects}/${test.site.projectId}`, test.site.keys.operator);
      await page.getByRole('button', { name: 'Issue a key' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('ada, console');
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog').filter({ hasText: 'The service does not show it again' });
      const token = await dialog.locator('pre').first().innerText();
      expect(token).toMatch(/^hf_sk_\w+$/);
      await page.keyboard.press('Escape');
      await dialog.waitFor();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await page.content()).not.toContain(token);
      const row = page.getByRole('row').filter({ hasText: 'ada, console' });
      await row.getByText('valid').waitFor();
      await row.getByRole('button', { name: 'Revoke ada, console' }).click();
      await page.getByRole('button', { name: 'Revoke the key' }).click();
      await row.getByText('revoked').waitFor();
    }));

  it('create a project, suspend it after a question, and rotate its secrets after its name is typed', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(projects, test.site.keys.operator);
      await page.getByRole('button', { name: 'New project' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('<b>staging</b>');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('link', { name: '<b>staging</b>' }).click();
      await page.getByRole('button', { name: 'Suspend' }).click();
      await page.getByRole('button', { name: 'Suspend the project' }).click();
      await page.getByRole('button', { name: 'End the suspension' }).waitFor();
      await page.getByRole('button', { name: 'Rotate the secrets' }).click();
      const rotate = page.getByRole('dialog').getByRole('button', { name: /^Rotate the secrets/ });
      expect(await rotate.getAttribute('aria-disabled')).toBe('true');
      await page.getByRole('dialog').getByRole('textbox').fill('<b>staging</b>');
      await rotate.click();
      await page.getByText('The secrets are rotated').waitFor();
    }));

  it('refuse a name that is taken in the dialog, and keep what was typed', () =>
    test.visit({ expects: /status of 4\d\d/ }, async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(projects, test.site.keys.operator);
      await page.getByRole('button', { name: 'New project' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('default');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('dialog').getByRole('alert').waitFor();
      expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('default');
    }));

  it('say to other keys why they may not', () =>
    test.visit(async (visit) => {
      const { page } = visit;
      await visit.openSignedIn(projects);
      await page.getByText('This page needs the operator key').waitFor();
      await visit.open('/p/default/settings');
      await visit.signIn(test.site.keys.secret);
      const manage = page.getByRole('button', { name: 'Manage (needs the operator key)' });
      expect(await manage.getAttribute('aria-disabled')).toBe('true');
    }));
});
