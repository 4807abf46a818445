import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KillWorld } from '../random/kills/world.ts';
import { drawFrom } from '../random/kit/turns.ts';
import type { TcpProxy } from '../support/tcpProxy.ts';
import { openDatabaseProxy } from './kit/databaseProxy.ts';
import { Refusals } from './kit/refusals.ts';
import { times, upWithinMs, within } from './kit/scale.ts';
import { until } from './kit/trial.ts';

/** Statements of each domain, which the load cannot do without: they must have met each error. */
const statements = [
  ...[
    'commit',
    'ingestIntakes',
    'clearPending',
    'findWaitPaths',
    'claimKeys',
    'findHolders',
    'lockSingletons',
    'advanceRates',
  ],
  ...[
    'slideDebounced',
    'openBatches',
    'growBatches',
    'putBufferItems',
    'takeDueBuffers',
    'readBufferItems',
    'removeFlushed',
  ],
  ...['claimWork', 'pickLimited', 'countSlots', 'leaseWork', 'gateRuns', 'openSlots', 'beatDispatcher'],
  ...['loadMemos', 'commitPasses', 'commitStep', 'commitPlain', 'commitEnd', 'lockLease', 'lockRuns', 'finishRuns'],
  ...['wakeDue', 'findWaits', 'settleWaits', 'settleSteps', 'findCallers', 'loadOutcomes', 'takeOutcome', 'sendHints'],
];

let refusals: Refusals;
let proxy: TcpProxy | undefined;
let world: KillWorld;
beforeEach(async () => {
  refusals = new Refusals(times(1));
  world = await KillWorld.open(drawFrom(1), async (url) => {
    proxy = await openDatabaseProxy(url, (statement) => refusals.choose(statement));
    return proxy.url;
  });
}, upWithinMs);
afterEach(async () => {
  await world.close();
  await proxy?.close();
}, upWithinMs);

describe('two processes under load whose PostgreSQL', () => {
  test(
    'refuses statements for deadlocks, locks and serialization lose nothing, do nothing twice, and go on',
    async () => {
      await world.during(async () => {
        refusals.begin();
        await until(async () => refusals.without(statements).length === 0, 'each statement to be refused', 200).catch(
          (error: unknown) => {
            throw new Error(`never refused: ${refusals.without(statements).join(', ')}`, { cause: error });
          },
        );
        refusals.end();
        const before = world.started;
        await until(async () => world.started > before + 20, 'runs to be started again');
      });
      await world.settle();
      expect(refusals.total).toBeGreaterThan(3 * statements.length);
      // The service tries again by itself: no runner has to do anything once more, unless a process
      // was found silent.
      if (world.coverage.of('fault').length === 0) expect(world.repeated).toEqual([]);
      // Clients are told no more than that they may retry.
      const away = '503 the database cannot answer now: retry';
      expect(world.coverage.of('unanswered').filter((answer) => answer !== away)).toEqual([]);
      expect(await world.doctor()).toEqual([]);
    },
    within(1, 60_000),
  );
});
