import { describe, expect, it } from 'vitest';
import { useConsole, withoutBrowser } from '../kit/useConsole.ts';
import { Visit } from '../kit/visit.ts';

describe.skipIf(withoutBrowser)('a visit of the console', () => {
  const test = useConsole();

  /** What a visit complains of after an expression was evaluated on the page. */
  async function complaintsAfter(expression: string): Promise<string> {
    const visit = await Visit.begin(test.browser, test.site);
    await visit.open();
    await visit.page.getByLabel('API key').waitFor();
    await visit.evaluate(expression);
    return visit.finish().then(
      () => '',
      (error: Error) => error.message + JSON.stringify((error as { actual?: unknown }).actual),
    );
  }
  const key = (): string => JSON.stringify(test.site.keys.secret);

  it('has nothing to complain of by itself', async () => {
    expect(await complaintsAfter('0')).toBe('');
  });

  it.each([
    ['an error', `console.error('broken'), 0`, 'error in the console: broken'],
    [
      'an uncaught error',
      `setTimeout(() => { throw new Error('thrown') }), new Promise((r) => setTimeout(r, 50))`,
      'thrown',
    ],
    [
      'a picture of another host',
      `new Promise((r) => Object.assign(new Image(), { onerror: r, src: 'https://elsewhere.invalid/x.png' }))`,
      'policy violated: img-src https://elsewhere.invalid/x.png',
    ],
    ['a style in an attribute', `document.body.setAttribute('style', 'color: red')`, 'policy violated: style-src-attr'],
    [
      'markup from text',
      `(() => { try { document.body.innerHTML = '<b>' } catch {} })()`,
      'policy violated: require-trusted-types-for',
    ],
    [
      'a frame',
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '/console/' })), new Promise((r) => setTimeout(r, 200))`,
      'policy violated: frame-src',
    ],
  ])('complains of %s', async (_what, expression, complaint) => {
    expect(await complaintsAfter(expression)).toContain(complaint);
  });

  it.each([
    ['localStorage', (text: string) => `localStorage.setItem('a', ${text})`],
    ['sessionStorage', (text: string) => `sessionStorage.setItem('a', ${text})`],
    ['the title', (text: string) => `document.title = ${text}`],
    ['a cookie', (text: string) => `document.cookie = 'a=' + ${text}`],
    ['the address of the page', (text: string) => `history.replaceState(null, '', '?' + ${text})`],
    ['the console of the browser', (text: string) => `console.log(${text}), 0`],
    ['the address of a request', (text: string) => `fetch('/health/live?' + ${text}).then(() => 0)`],
    ['the body of a request', (text: string) => `fetch('/events', { method: 'POST', body: ${text} }).then(() => 0)`],
  ])('complains of a key in %s', async (place, expression) => {
    expect(await complaintsAfter(expression(key()))).toContain(`the secret key is in ${place}`);
  });

  it('finds what axe finds, and what does not fit', () =>
    test.visit({ width: 390 }, async (visit) => {
      await visit.open();
      await visit.page.getByLabel('API key').waitFor();
      await visit.evaluate(`document.body.append(Object.assign(document.createElement('img'), { width: 900 })), 0`);
      expect((await visit.axe()).join('\n')).toContain('image-alt');
      expect(await visit.overflow()).toBeGreaterThan(400);
    }));
});
