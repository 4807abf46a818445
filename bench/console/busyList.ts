import { setTimeout as delay } from 'node:timers/promises';
import { type Bar, middle } from './bar.ts';
import { onTime } from './frames.ts';
import { listedRuns } from './listedRuns.ts';
import { Person } from './person.ts';
import { isThere } from './recorder.ts';
import type { Scene, SceneOptions } from './scenes.ts';

/** A run without steps is queued, runs and succeeds. */
const transitionsPerRun = 3;
const perSecond = 500;

/** The list of runs, open while 500 transitions a second pass. */
export const busyList: Scene = {
  name: 'busyList',
  needsHistory: false,
  async measure({ stage, browser, seconds }: SceneOptions): Promise<Bar[]> {
    const { client, service } = stage;
    const person = await Person.come(browser, service, { sights: { runs: isThere('[data-row-link]') } });
    await client.runToEnd('noop');
    await person.open('/runs');
    await person.seen(['runs']);
    await person.page.waitForLoadState('networkidle');
    const heapBefore = await person.heapMb();
    await person.forget();
    const startedAt = performance.now();
    const begun: Promise<unknown>[] = [];
    const dueAt = (): number => ((performance.now() - startedAt) / 1_000) * (perSecond / transitionsPerRun);
    while (performance.now() - startedAt < seconds * 1_000) {
      while (begun.length < dueAt()) begun.push(client.start('noop'));
      await delay(20);
    }
    const started = await Promise.all(begun);
    const tookS = (performance.now() - startedAt) / 1_000;
    const { frames, tasks } = await person.recorded();
    await client.ended(started.at(-1) as Awaited<ReturnType<typeof client.start>>);
    await delay(2_000);
    const { shown, differ } = await listedRuns(person, service);
    const heapAfter = await person.heapMb();
    await person.leave();
    return [
      {
        name: 'transitions made',
        figure: (started.length * transitionsPerRun) / tookS,
        most: perSecond * 0.95,
        unit: 'a second',
        isLeast: true,
      },
      { name: 'frames on time', figure: onTime(frames), most: 95, unit: '%', isLeast: true },
      { name: 'the median frame', figure: middle(frames), most: 17, unit: 'ms' },
      { name: 'tasks over 50 ms', figure: tasks.length, most: 0, unit: 'tasks' },
      { name: 'the longest task', figure: Math.max(0, ...tasks), most: 50, unit: 'ms' },
      { name: 'growth of the heap', figure: heapAfter - heapBefore, most: 10, unit: 'MB' },
      { name: `rows of ${shown} that differ 2 s after`, figure: differ, most: 0, unit: 'rows' },
    ];
  },
};
