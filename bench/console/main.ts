// `npm run bench:console -- <scene...>`: measures the bars of the web console in Chromium.
// docs/performance.md explains the figures.
import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { conditions } from '../conditions.ts';
import { onStage, type StageConditions } from '../stage.ts';
import { type Bar, holds, line } from './bar.ts';
import { busyList } from './busyList.ts';
import { load } from './load.ts';
import { longRun } from './longRun.ts';
import { pages } from './pages.ts';
import { payloads } from './payloads.ts';
import { launch } from './person.ts';
import { addHistory } from './populations.ts';
import type { Scene } from './scenes.ts';
import { stayOpen } from './stayOpen.ts';

const scenes: readonly Scene[] = [payloads, longRun, busyList, pages, load, stayOpen];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '1000000' },
    times: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '60' },
    hours: { type: 'string', default: '8' },
    lapse: { type: 'string', default: '1' },
  },
});
const chosen = scenes.filter(({ name, isLong }) => (positionals.length === 0 ? !isLong : positionals.includes(name)));
const unknown = positionals.find((name) => !scenes.some((scene) => scene.name === name));

async function main(): Promise<Record<string, Bar[]>> {
  const found: Record<string, Bar[]> = {};
  const stages: StageConditions[] = [];
  const options = { profiling: undefined, observe: (stage: StageConditions) => void stages.push(stage) };
  await onStage({ ...options, env: { CONSOLE: 'on' } }, async (stage) => {
    const browser = await launch();
    const sizes = {
      ...{ runs: Number(values.runs), times: Number(values.times) },
      ...{ seconds: Number(values.seconds), hours: Number(values.hours), lapse: Number(values.lapse) },
    };
    try {
      let isLong = false;
      for (const scene of chosen) {
        if (scene.needsHistory && !isLong) await addHistory(stage.database, sizes.runs);
        isLong ||= scene.needsHistory;
        const bars = await scene.measure({ stage, browser, ...sizes });
        found[scene.name] = bars;
        console.log(`\n${scene.name}\n${bars.map((bar) => `  ${line(bar)}`).join('\n')}`);
      }
    } finally {
      await browser.close();
    }
  });
  const others = Math.max(...stages.map(({ othersCpuPercent }) => othersCpuPercent));
  console.log(`\nother processes, with the browser, used ${others} % of the cores`);
  const file = `bench/results/console-${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.json`;
  await mkdir('bench/results', { recursive: true });
  await writeFile(file, `${JSON.stringify({ conditions: conditions(), sizes: values, stages, found }, null, 2)}\n`);
  console.log(`written to ${file}`);
  return found;
}

// Exiting stops everything that was started: each part does so in an exit handler.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
try {
  if (unknown) throw new Error(`there is no scene "${unknown}": ${scenes.map(({ name }) => name).join(', ')}`);
  const found = await main();
  const missed = Object.values(found)
    .flat()
    .filter((bar) => !holds(bar));
  if (missed.length > 0) console.log(`${missed.length} bars are missed`);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
process.exit();
