import { setTimeout as delay } from 'node:timers/promises';
import type { Stage } from '../stage.ts';
import type { Bar } from './bar.ts';
import { Person } from './person.ts';
import { isThere } from './recorder.ts';
import type { Scene, SceneOptions } from './scenes.ts';

const watchS = 60;
const consoles = 50;

/** The cost for the service of consoles that stand open, and that nobody looks at. */
export const load: Scene = {
  name: 'load',
  needsHistory: true,
  async measure({ stage, browser }: SceneOptions): Promise<Bar[]> {
    const person = await Person.come(browser, stage.service, { sights: { panels: isThere('main section') } });
    await person.open('/?range=24h');
    await person.seen(['panels']);
    await person.page.waitForLoadState('networkidle');
    person.requests.length = 0;
    await delay(watchS * 1_000);
    const open = person.requests.slice();
    await hide(person);
    await delay(2_000);
    person.requests.length = 0;
    await delay(30_000);
    const hidden = person.requests.length;
    await person.leave();
    return [
      { name: 'requests of an idle overview', figure: open.length / watchS, most: 1, unit: 'a second' },
      { name: 'requests of a hidden tab in 30 s', figure: hidden, most: 0, unit: 'requests' },
      await costOfMany(stage, open),
    ];
  },
};

/** The page cannot tell this from another tab in front of it. */
const hide = (person: Person): Promise<void> =>
  person.evaluate(`Object.defineProperty(document, 'visibilityState', { get: () => 'hidden', configurable: true });
    Object.defineProperty(document, 'hidden', { get: () => true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange')); window.dispatchEvent(new Event('visibilitychange'));`);

/** Sends what one overview sent in a minute, as 50 overviews would, spread over a minute. */
async function costOfMany({ service, cpuSeconds }: Stage, sent: readonly string[]): Promise<Bar> {
  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' };
  const before = cpuSeconds();
  const due = Array.from({ length: consoles }, () => sent).flat();
  const startedAt = performance.now();
  const answers: Promise<unknown>[] = [];
  for (const [at, body] of due.entries()) {
    await delay(Math.max(0, startedAt + (at / due.length) * watchS * 1_000 - performance.now()));
    answers.push(
      fetch(`${service.baseUrl}/graphql`, { method: 'POST', headers, body }).then((answer) => answer.text()),
    );
  }
  await Promise.all(answers);
  const after = cpuSeconds();
  const used = after.service - before.service + after.database - before.database;
  const took = (performance.now() - startedAt) / 1_000;
  return {
    name: `CPU of service and database for ${consoles} overviews`,
    figure: (used / took) * 100,
    most: 20,
    unit: '% of a core',
  };
}
