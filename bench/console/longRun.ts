import { type Bar, middle } from './bar.ts';
import { plainRows } from './control.ts';
import { onTime, type Scrolled, scroll } from './frames.ts';
import { Person } from './person.ts';
import { addLongRun } from './populations.ts';
import type { Scene, SceneOptions } from './scenes.ts';

const steps = 10_000;
const lines = 100_000;

const allShown = `[...document.querySelectorAll('main [role="status"]')].some((e) => e.textContent === '${steps.toLocaleString('en-GB')} steps')`;

/** Types into the field as a person pastes, and waits until the list has shrunk. */
const find = (text: string): string => `new Promise((resolve) => {
  const field = document.querySelector('input[type="search"]');
  const startedAt = performance.now();
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, ${JSON.stringify(text)});
  field.dispatchEvent(new Event('input', { bubbles: true }));
  const frame = () => {
    const names = [...document.querySelectorAll('[data-lane]')].map((e) => e.textContent);
    if (names.length > 0 && names.length < 5) resolve(performance.now() - startedAt);
    else requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})`;

/** A run of 10,000 steps and 100,000 log lines. */
export const longRun: Scene = {
  name: 'longRun',
  needsHistory: false,
  async measure({ stage, browser, times }: SceneOptions): Promise<Bar[]> {
    const id = await addLongRun(stage.database, { steps, lines });
    const person = await Person.come(browser, stage.service, {
      sights: { first: `document.querySelectorAll('[data-lane]').length > 10`, all: allShown },
    });
    const shown: number[] = [];
    const first: number[] = [];
    for (let time = 0; time < times; time += 1) {
      await person.open(`/runs/${id}`);
      const seen = await person.seen(['first', 'all']);
      first.push(seen['first'] ?? Number.NaN);
      shown.push(seen['all'] ?? Number.NaN);
    }
    await person.forget();
    const scrolled = await person.evaluate<Scrolled>(scroll('[aria-label="Steps"]'));
    const { frames } = await person.recorded();
    const plainSteps = await plainRows(browser, { rows: steps, height: 32 });
    await person.page.bringToFront();
    const foundMs = await person.evaluate<number>(find(`step ${steps - 1}`));
    await person.open(`/runs/${id}?tab=logs`);
    await person.page.getByRole('log').waitFor();
    const older = person.page.getByRole('button', { name: 'Older lines' });
    for (let page = 0; page < 9; page += 1) {
      await older.click();
      await person.page.getByText(`the last ${(page + 2) * 1_000} lines`).waitFor();
    }
    await person.forget();
    const read = await person.evaluate<Scrolled>(scroll('[role="log"] ol'));
    const logFrames = (await person.recorded()).frames;
    const plainLines = await plainRows(browser, { rows: lines / 10, height: 28 });
    await person.leave();
    return [
      { name: `the first of ${steps} steps shown`, figure: middle(first), most: 2_000, unit: 'ms' },
      { name: `all of ${steps} steps read`, figure: middle(shown), most: 2_000, unit: 'ms' },
      { name: 'steps scrolled from end to end', figure: scrolled.ms, most: 5_000, unit: 'ms' },
      {
        name: 'frames on time while steps scroll',
        figure: onTime(frames),
        most: 95,
        unit: '%',
        isLeast: true,
        control: plainSteps,
      },
      { name: 'nodes of the page while steps scroll', figure: scrolled.nodes, most: 3_000, unit: 'nodes' },
      { name: `a step found among ${steps}`, figure: foundMs, most: 100, unit: 'ms' },
      {
        name: 'frames on time while 10,000 lines scroll',
        figure: onTime(logFrames),
        most: 95,
        unit: '%',
        isLeast: true,
        control: plainLines,
      },
      { name: 'nodes of the page while lines scroll', figure: read.nodes, most: 3_000, unit: 'nodes' },
    ];
  },
};
