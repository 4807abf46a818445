import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Locator, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import type { ConsoleSite } from './consoleSite.ts';

export const themes = ['light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** Widths of a laptop and of a phone, in CSS pixels. */
export const widths = [1280, 390] as const;

export interface VisitOptions extends BrowserContextOptions {
  theme?: Theme;
  width?: number;
  /** Messages of the console that the test provokes, such as those of refused requests. */
  expects?: RegExp;
  /** Whether the person asked to keep the key in `sessionStorage`. */
  keepsKey?: boolean;
}

const sizeOf = (width: number): { width: number; height: number } => ({ width, height: width < 600 ? 844 : 800 });

/** Loaded once: half a megabyte. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const tellViolations = `
  addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) =>
    console.error('policy violated: ' + [effectiveDirective, blockedURI, sourceFile, lineNumber].join(' ')));`;

/** What a person, or a script of another page, could find a key in. */
const places = `({
  'the address of the page': location.href,
  'the title': document.title,
  'a cookie': document.cookie,
  localStorage: JSON.stringify({ ...localStorage }),
  sessionStorage: JSON.stringify({ ...sessionStorage }),
})`;

/**
 * A person's browser on a console: a context of its own with one tab. Notes everything that must
 * not happen, and `finish` fails on it: errors, violations of the policy, requests to other hosts,
 * and keys anywhere but in the headers and the frames that carry them.
 */
export class Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Clicks of the person so far, without those of the sign-in. */
  clicks = 0;
  readonly #site: ConsoleSite;
  readonly #options: VisitOptions;
  readonly #problems: string[] = [];
  readonly #debuggers = new Map<Page, Promise<CDPSession>>();
  /** All that must not contain a key, with its place. */
  readonly #seen: [place: string, text: string][] = [];

  private constructor(page: Page, { site, options }: { site: ConsoleSite; options: VisitOptions }) {
    this.page = page;
    this.context = page.context();
    this.#site = site;
    this.#options = options;
  }

  /** Opens a tab. It shows nothing until the test goes somewhere. */
  static async begin(browser: Browser, site: ConsoleSite, options: VisitOptions = {}): Promise<Visit> {
    const { theme = 'light', width = 1280, expects: _expects, keepsKey: _keepsKey, ...more } = options;
    const context = await browser.newContext({
      baseURL: site.service.baseUrl,
      colorScheme: theme,
      reducedMotion: 'reduce',
      viewport: sizeOf(width),
      timezoneId: 'Europe/Berlin',
      locale: 'en-GB',
      ...more,
    });
    context.setDefaultTimeout(30_000);
    await context.addInitScript({ content: tellViolations });
    const visit = new Visit(await context.newPage(), { site, options });
    visit.#watch();
    return visit;
  }

  #watch(): void {
    this.context.on('console', (message) => {
      this.#seen.push(['the console of the browser', message.text()]);
      if (!['error', 'warning'].includes(message.type())) return;
      if (!this.#options.expects?.test(message.text()))
        this.#problems.push(`${message.type()} in the console: ${message.text()} (${message.location().url})`);
    });
    this.context.on('weberror', (error) => this.#problems.push(`uncaught: ${error.error().stack}`));
    this.context.on('request', (request) => {
      const url = request.url();
      this.#seen.push(['the address of a request', url]);
      this.#seen.push(['a Referer', request.headers()['referer'] ?? '']);
      this.#seen.push(['the body of a request', request.postData() ?? '']);
      if (!/^(data|blob):/.test(url) && new URL(url).origin !== this.#site.service.baseUrl)
        this.#problems.push(`a request to another host: ${url}`);
    });
    this.page.on('websocket', (socket) => this.#seen.push(['the address of a socket', socket.url()]));
  }

  /** Opens a page of the console. */
  async open(path = '/'): Promise<void> {
    await this.page.goto(this.#site.address(path));
  }

  /** Signs in by pasting a key, as the sign-in page or its dialog asks for it. */
  async signIn(key: string, { project, name }: { project?: string; name?: string } = {}): Promise<void> {
    await this.page.getByLabel('API key').fill(key);
    if (project !== undefined) await this.page.getByLabel('Project').fill(project);
    if (name !== undefined) await this.page.getByLabel('Your name').fill(name);
    if (this.#options.keepsKey) await this.page.getByLabel('Keep for my tabs').check();
    await this.page.getByRole('button', { name: 'Sign in' }).click();
  }

  /** Opens a page signed in with the secret key of the project. */
  async openSignedIn(path = '/', key = this.#site.keys.secret): Promise<void> {
    await this.open(path);
    await this.signIn(key);
    await this.page.getByLabel('API key').waitFor({ state: 'detached' });
  }

  /** Clicks as a person does, who must find the target first. */
  async click(target: Locator): Promise<void> {
    await target.click();
    this.clicks += 1;
  }

  /** Presses Tab until something with this name has the focus, as people without a mouse do. */
  async tabTo(name: RegExp): Promise<void> {
    const focused = `(({ activeElement: at }) => at.getAttribute('aria-label') ?? at.textContent ?? '')(document)`;
    for (let presses = 0; presses < 80; presses += 1) {
      await this.page.keyboard.press('Tab');
      if (name.test(String(await this.evaluate(focused)))) return;
    }
    throw new Error(`Tab does not reach ${name}`);
  }

  /** Has the system of the person ask for a theme, and waits until the page is painted in it. */
  async choose(theme: Theme): Promise<void> {
    await this.page.emulateMedia({ colorScheme: theme });
    await this.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))');
  }

  /** Waits until the page shows no skeleton, and no request is under way. */
  async settled(): Promise<void> {
    await this.page.waitForLoadState('networkidle');
    // Not `expect.poll`, which concurrent tests may not use.
    const isStill = async () => expect(await this.page.locator('[aria-busy="true"]').count()).toBe(0);
    await vi.waitFor(isStill, { timeout: 30_000 });
  }

  /** Has the open page in a theme and a width, and waits until it is drawn so. */
  async dress(theme: Theme, width: number): Promise<void> {
    await this.page.setViewportSize(sizeOf(width));
    await this.choose(theme);
  }

  /** What axe finds against WCAG 2.2 AA; empty where all is well. */
  async axe(): Promise<string[]> {
    const tags = JSON.stringify(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']);
    // Half a megabyte to send and to read, which each document needs once.
    if (!(await this.evaluate('"axe" in globalThis'))) await this.evaluate(`(() => { ${axeSource} })(); 0`);
    return (await this.evaluate(`axe.run(document, { runOnly: ${tags}, resultTypes: ['violations'], preload: false }).then(({ violations }) =>
      violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, failureSummary }) =>
        id + ': ' + help + ' at ' + target.join(' ') + '\\n' + failureSummary)))`)) as string[];
  }

  /** By how many pixels the page is wider than the window. */
  async overflow(): Promise<number> {
    const { scrollWidth, clientWidth } = (await this.evaluate(
      '(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.documentElement)',
    )) as { scrollWidth: number; clientWidth: number };
    return scrollWidth - clientWidth;
  }

  /** Evaluates an expression by the debugger's protocol, which the page's policy does not bind. */
  async evaluate(expression: string, page = this.page): Promise<unknown> {
    const attached = this.#debuggers.get(page) ?? this.context.newCDPSession(page);
    this.#debuggers.set(page, attached);
    const options = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await (await attached).send('Runtime.evaluate', options);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Checks what must hold on every page at every time, and closes the browser of the person. */
  async finish(): Promise<void> {
    for (const page of this.context.pages()) await this.#look(page);
    await this.context.close();
    const { keys } = this.#site;
    const leaks = this.#seen.flatMap(([place, text]) =>
      Object.entries(keys)
        .filter(([, key]) => text.includes(key) || text.includes(encodeURIComponent(key)))
        .map(([kind]) => `the ${kind} key is in ${place}: ${text.slice(0, 200)}`),
    );
    const inLog = Object.entries(keys).flatMap(([kind, key]) =>
      this.#site.service.output.log.includes(key) ? [`the ${kind} key is in the log of the service`] : [],
    );
    expect([...this.#problems, ...leaks, ...inLog]).toEqual([]);
  }

  async #look(page: Page): Promise<void> {
    const found = (await this.evaluate(places, page)) as Record<string, string>;
    const isAllowed = (place: string): boolean => place === 'sessionStorage' && this.#options.keepsKey === true;
    this.#seen.push(...Object.entries(found).filter(([place]) => !isAllowed(place)));
  }
}
