import { type Bar, middle } from './bar.ts';
import { Person } from './person.ts';
import { addLongRun } from './populations.ts';
import { isThere, type Sights } from './recorder.ts';
import type { Scene, SceneOptions } from './scenes.ts';

const sights: Sights = {
  shell: isThere('nav a'),
  runs: isThere('[data-row-link]'),
  steps: `document.querySelectorAll('[data-lane]').length > 10`,
  panels: `document.querySelectorAll('main section').length > 4 && !document.querySelector('main [aria-label="Loading"]')`,
};

/** Pages of a service with a long history, on a processor that is four times slower. */
export const pages: Scene = {
  name: 'pages',
  needsHistory: true,
  async measure({ stage, browser, times }: SceneOptions): Promise<Bar[]> {
    const id = await addLongRun(stage.database, { steps: 50, lines: 50 });
    const person = await Person.come(browser, stage.service, { sights, slowness: 4 });
    const timesOf = async (path: string, names: readonly string[]): Promise<Record<string, number[]>> => {
      const found: Record<string, number[]> = {};
      for (let time = 0; time < times; time += 1) {
        await person.open(path);
        const seen = await person.seen(names);
        for (const name of names) found[name] = [...(found[name] ?? []), seen[name] ?? Number.NaN];
      }
      return found;
    };
    const list = await timesOf('/runs', ['shell', 'runs']);
    const run = await timesOf(`/runs/${id}`, ['steps']);
    const overview = await timesOf('/?range=24h', ['panels']);
    const month = await timesOf('/?range=30d', ['panels']);
    await person.leave();
    const bar = (name: string, found: number[] = [], most: number): Bar => ({
      name,
      figure: middle(found),
      most,
      unit: 'ms',
    });
    return [
      bar('the shell of the runs list', list['shell'], 1_000),
      bar('the first page of runs', list['runs'], 1_500),
      bar('a run of 50 steps', run['steps'], 1_500),
      bar('all panels of the overview, 24 hours', overview['panels'], 3_000),
      bar('all panels of the overview, 30 days', month['panels'], 3_000),
    ];
  },
};
