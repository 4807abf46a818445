import { setTimeout as delay } from 'node:timers/promises';
import type { WebSocketRoute } from 'playwright-core';
import type { Bar } from './bar.ts';
import { listedRuns } from './listedRuns.ts';
import { Person } from './person.ts';
import type { Scene, SceneOptions } from './scenes.ts';

/** Runs that start in a second: a list on which something always changes. */
const startsPerSecond = 5;
const reconnects = 20;
/** A page that has shown a few thousand runs has filled its caches. */
const warmUpShare = 0.05;
/** The page reads its list again within this time after the last change. */
const restMs = 4_000;
const hourMs = 3_600_000;

/** The list of runs, open for hours, while its socket is lost twenty times. */
export const stayOpen: Scene = {
  name: 'stayOpen',
  needsHistory: false,
  isLong: true,
  async measure({ stage, browser, hours, lapse }: SceneOptions): Promise<Bar[]> {
    const { client, service } = stage;
    const person = await Person.come(browser, service, { lapse });
    const open = new Set<WebSocketRoute>();
    let opened = 0;
    await person.page.routeWebSocket(/graphql/, (socket) => {
      opened += 1;
      open.add(socket);
      const server = socket.connectToServer();
      server.onClose(() => open.delete(socket));
      socket.onClose(() => {
        open.delete(socket);
        void server.close();
      });
    });
    await client.runToEnd('noop');
    await person.open('/runs');
    const periodMs = (hours * hourMs) / lapse / reconnects;
    const bringChanges = (ms: number): Promise<void> => bringRuns(client, { ms, aSecond: startsPerSecond * lapse });
    await bringChanges(periodMs * reconnects * warmUpShare);
    const heaps = [await person.heapMb()];
    let missed = 0;
    let most = 0;
    for (let n = 0; n < reconnects; n += 1) {
      await bringChanges(periodMs);
      most = Math.max(most, open.size);
      for (const socket of open) await socket.close({ code: 1012, reason: 'lost' });
      open.clear();
      // Runs start while the socket is away.
      await bringChanges(1_000);
      await delay(restMs);
      missed += (await listedRuns(person, service)).differ;
      heaps.push(await person.heapMb());
    }
    await person.leave();
    const [first = 0] = heaps;
    const secondHalf = heaps.slice(reconnects / 2);
    const [middle = 0] = secondHalf;
    return [
      { name: `growth of the heap in ${hours} h`, figure: Math.max(...heaps) - first, most: 20, unit: 'MB' },
      { name: 'the same in the second half', figure: Math.max(...secondHalf) - middle, most: 10, unit: 'MB' },
      { name: 'sockets at once', figure: most, most: 1, unit: 'sockets' },
      { name: 'sockets lost', figure: opened - 1, most: reconnects, unit: 'sockets', isLeast: true },
      { name: 'rows that differ after a lost socket', figure: missed, most: 0, unit: 'rows' },
    ];
  },
};

/** Starts runs for so long, and resolves when they have ended. */
async function bringRuns(
  client: SceneOptions['stage']['client'],
  { ms, aSecond }: { ms: number; aSecond: number },
): Promise<void> {
  const startedAt = performance.now();
  let last = await client.start('noop');
  for (let n = 1; performance.now() - startedAt < ms; n += 1) {
    await delay(Math.max(0, startedAt + (n * 1_000) / aSecond - performance.now()));
    last = await client.start('noop');
  }
  await client.ended(last);
}
