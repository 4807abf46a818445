import { readFile } from 'node:fs/promises';
import type { Stage } from '../stage.ts';
import type { Bar } from './bar.ts';
import { Person } from './person.ts';
import { addPayload } from './populations.ts';
import { isThere } from './recorder.ts';
import type { Scene, SceneOptions } from './scenes.ts';

const bytes = 1_048_576 - 1_024;

/** Texts of nearly 1 MiB, which is the most that the service takes. */
const kinds: Readonly<Record<string, () => string>> = {
  object: () => {
    const entries: string[] = [];
    for (let n = 0, size = 2; size < bytes - 60; n += 1) {
      entries.push(`"key ${n}":{"n":1e400,"text":"item ${n}","ok":-0}`);
      size += (entries.at(-1)?.length ?? 0) + 1;
    }
    return `{${entries.join(',')}}`;
  },
  '500 levels': () => `${'['.repeat(499)}${'1,'.repeat((bytes - 1_000) / 2)}1${']'.repeat(499)}`,
  'one line': () => `[${'1234567890123456789,'.repeat(Math.floor(bytes / 20) - 1)}0]`,
  'one string': () => `"${'x'.repeat(bytes - 2)}"`,
};

/** Payloads of 1 MiB, opened on the tab of a run. */
export const payloads: Scene = {
  name: 'payloads',
  needsHistory: false,
  async measure({ stage, browser }: SceneOptions): Promise<Bar[]> {
    const bars: Bar[] = [];
    for (const [kind, make] of Object.entries(kinds)) bars.push(...(await opened(kind, make(), stage, browser)));
    return bars;
  },
};

async function opened(kind: string, text: string, stage: Stage, browser: SceneOptions['browser']): Promise<Bar[]> {
  const id = await addPayload(stage.database, text);
  const sights = { editor: isThere('section[aria-label="Result"] .cm-line') };
  const person = await Person.come(browser, stage.service, { sights });
  await person.open(`/runs/${id}?tab=payloads`);
  // The code of the editor is loaded once.
  await person.seen(['editor']);
  await person.open(`/runs/${id}`);
  await person.page.getByRole('tab', { name: 'Input and result' }).waitFor();
  await person.page.waitForLoadState('networkidle');
  await person.forget();
  const openMs = await person.evaluate<number>(
    press('[...document.querySelectorAll("[role=tab]")]', 'Input and result'),
  );
  const all = await person.evaluate<number>(
    `(${press('[...document.querySelectorAll("button")]', 'Show all', grown)})`,
  );
  await person.page.waitForTimeout(500);
  const { tasks } = await person.recorded();
  const [download] = await Promise.all([
    person.page.waitForEvent('download'),
    person.page.getByRole('button', { name: 'Download Result' }).click(),
  ]);
  const got = await readFile(await download.path(), 'utf8');
  await person.leave();
  return [
    { name: `${kind}: opened`, figure: openMs, most: 500, unit: 'ms' },
    { name: `${kind}: the rest shown`, figure: all, most: 500, unit: 'ms' },
    { name: `${kind}: the longest task`, figure: Math.max(0, ...tasks), most: 50, unit: 'ms' },
    { name: `${kind}: bytes of the download that differ`, figure: differing(got, text), most: 0, unit: 'bytes' },
  ];
}

const opens = `document.querySelector('section[aria-label="Result"] .cm-line') !== null`;
const grown = `![...document.querySelectorAll('button')].some((e) => e.textContent.includes('Show all')) && ${opens}`;

/** Presses what has this text, and answers after how many ms the page shows what follows. */
const press = (among: string, text: string, then = opens): string => `new Promise((resolve) => {
  const startedAt = performance.now();
  ${among}.find((e) => e.textContent.includes(${JSON.stringify(text)}))?.click();
  const frame = () => {
    if (${then}) resolve(performance.now() - startedAt);
    else requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})`;

function differing(got: string, sent: string): number {
  let count = Math.abs(got.length - sent.length);
  for (let at = 0; at < Math.min(got.length, sent.length); at += 1) if (got[at] !== sent[at]) count += 1;
  return count;
}
