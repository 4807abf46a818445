import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import type { Service } from '../service.ts';
import { until } from '../waiting.ts';
import { type Recorded, recorder, type Sights } from './recorder.ts';
import { timeLapse } from './timeLapse.ts';

/** Starts the browser that CHROMIUM_PATH names. */
export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '',
    args: ['--enable-precise-memory-info', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });

interface PersonOptions {
  /** The text that each opened page has to show. */
  sights?: Sights;
  /** How many times slower the processor of the browser is. */
  slowness?: number;
  /** How many times faster the clock of the page runs. */
  lapse?: number;
}

/** A tab of the console, signed in by a key that is kept for the tab. */
export class Person {
  readonly page: Page;
  readonly requests: string[] = [];
  readonly #context: BrowserContext;
  readonly #session: CDPSession;
  readonly #base: string;

  private constructor(page: Page, session: CDPSession, baseUrl: string) {
    this.page = page;
    this.#context = page.context();
    this.#session = session;
    this.#base = `${baseUrl}/console`;
    page.on('request', (request) => {
      if (request.url().endsWith('/graphql')) this.requests.push(request.postData() ?? '');
    });
  }

  static async come(
    browser: Browser,
    { baseUrl, apiKey }: Service,
    { sights = {}, slowness = 1, lapse = 1 }: PersonOptions = {},
  ): Promise<Person> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
    context.setDefaultTimeout(60_000);
    await context.addInitScript({ content: recorder(sights) });
    if (lapse !== 1) await context.addInitScript({ content: timeLapse(lapse) });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    const person = new Person(page, session, baseUrl);
    await page.goto(person.#base);
    await page.getByLabel('API key').fill(apiKey);
    await page.getByLabel('Keep for my tabs').check();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation').first().waitFor();
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowness });
    return person;
  }

  /** Opens a page of the project as a link does. */
  async open(path: string): Promise<void> {
    await this.page.goto(`${this.#base}/p/default${path}`);
  }

  /** When each of the named sights was there, in ms after the link was opened. */
  async seen(names: readonly string[], limitMs = 60_000): Promise<Record<string, number>> {
    let seen: Record<string, number> = {};
    const areThere = async (): Promise<boolean> => {
      seen = (await this.recorded()).seen;
      return names.every((name) => name in seen);
    };
    await until(areThere, { limitMs, everyMs: 100, what: `${names.join(', ')} seen` });
    return seen;
  }

  recorded = (): Promise<Recorded> => this.evaluate<Recorded>('({ ...bench })');

  forget = (): Promise<void> => this.evaluate<void>('bench.reset()');

  /** Evaluates an expression by the debugger's protocol, which the page's policy does not bind. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const options = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.#session.send('Runtime.evaluate', options);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as Value;
  }

  /** The heap after a collection, in MB. */
  async heapMb(): Promise<number> {
    await this.#session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.#session.send('Runtime.getHeapUsage');
    return usedSize / 1_000_000;
  }

  leave = (): Promise<void> => this.#context.close();
}
