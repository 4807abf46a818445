import { mintKey } from '../../src/engine/keys/index.ts';
import { type Measures, round, sum } from '../stats.ts';
import { app, wakeEvent } from '../workflows.ts';
import {
  answers,
  getText,
  inTurn,
  openGraphql,
  pipeline,
  post,
  register,
  type Target,
  untilWaiting,
} from './target.ts';

/** Something that one tenant can do to a service that it shares with others. */
export interface Attack {
  name: string;
  /** The full size: requests, guards, elements, subscriptions. */
  size: number;
  /** Rows and registrations that the attack needs, before it is measured. */
  prepare?(target: Target, size: number): Promise<void>;
  strike(target: Target, size: number): Promise<Measures>;
}

/** How long a connection stays open after its last request was sent, in ms. */
const holdMs = 3_000;

const crowdConnections = 250;

const flood = (name: string, path: string, prepare?: Attack['prepare']): Attack => ({
  name,
  size: 52_000,
  ...(prepare && { prepare }),
  strike: async (target, size) => {
    await pipeline(target, Array<string>(size).fill(getText(path, target.apiKey)), { holdMs, isRead: false });
    return {};
  },
});

const event = (name: string, data: object): string => JSON.stringify({ name, data });

/** Sends events that many guards examine. Their list makes each guard expensive. */
const noted = JSON.stringify({ name: 'guarded', data: { l: Array<number>(100).fill(1) } });
const sendNoted = (target: Target): Promise<Measures> => inTurn(3, () => post(target, '/events', noted));

/** An expensive condition that is never true; each number makes another one. */
const condition = (n: number): string => `event.data.l.exists(a, event.data.l.exists(b, a + b == ${n + 1_000}))`;

const triggersPerWorkflow = 100;
const workflowsPerApp = 10;

/** Registers triggers within the ceilings on each workflow and each registration. */
async function registerTriggers(target: Target, count: number, triggerOf: (n: number) => object): Promise<number> {
  const triggers = Array.from({ length: count }, (_, n) => triggerOf(n));
  let accepted = 0;
  for (let first = 0, at = 0; first < count; first += triggersPerWorkflow * workflowsPerApp, at += 1) {
    const workflows = Array.from({ length: workflowsPerApp }, (_, n) => {
      const from = first + n * triggersPerWorkflow;
      return { name: `w${n}`, triggers: triggers.slice(from, from + triggersPerWorkflow) };
    });
    if (await register(target, `attacker-${at}`, workflows)) accepted += 1;
  }
  return accepted;
}

/** Documents that the service refuses, or answers at length. */
const documents = [
  `{ ${'viewer { name } '.repeat(5_000)} }`,
  `{ viewer { ...f0 } } ${Array.from({ length: 3_000 }, (_, n) => `fragment f${n} on Viewer { name }`).join(' ')}`,
  `{ ${Array.from({ length: 30 }, (_, n) => `a${n}: __schema { types { name fields { name type { name } } } }`).join(' ')} }`,
];

const subscription = 'subscription { eventIngested(name: "watched") { id name data } }';
const subscribe = (id: number, query: string): string =>
  JSON.stringify({ id: String(id), type: 'subscribe', payload: { query } });
const subscriptionsPerSocket = 100;

export const attacks: readonly Attack[] = [
  {
    name: 'unknownKeys',
    size: 100_000,
    strike: async (target, size) => {
      const requests = Array.from({ length: size }, () => getText('/runs', mintKey('secret').token));
      await pipeline(target, requests, { holdMs, isRead: false });
      return {};
    },
  },
  flood('runs', '/runs?limit=1'),
  flood('events', '/events?limit=50', async (target) => {
    await inTurn(50, (n) => post(target, '/events', event('listed', { n, text: 'x'.repeat(500) })));
  }),
  {
    name: 'crowd',
    size: 52_000,
    strike: async (target, size) => {
      const share = Array<string>(Math.ceil(size / crowdConnections)).fill(getText('/runs?limit=1', target.apiKey));
      const bytes = await Promise.all(
        Array.from({ length: crowdConnections }, () => pipeline(target, share, { holdMs, isRead: true })),
      );
      return { receivedMib: round(sum(bytes) / 1024 ** 2) };
    },
  },
  {
    name: 'guards',
    size: 2_500,
    prepare: async (target, size) => {
      await registerTriggers(target, size, (n) => ({ event: 'guarded', if: condition(n) }));
    },
    strike: sendNoted,
  },
  {
    name: 'waiters',
    size: 1_000,
    prepare: async (target, size) => {
      // The workflow compares with a text; this one adds an expensive condition to it.
      const match = (n: number): string => `" || ${condition(n)} || event.data.id == "${n}`;
      await inTurn(size, (n) =>
        post(target, `/workflows/${app}/waiter/trigger`, JSON.stringify({ input: { i: n, match: match(n) } })),
      );
      await untilWaiting(target, size);
    },
    strike: (target) =>
      inTurn(3, () => post(target, '/events', event(wakeEvent, { id: 'none', l: Array<number>(100).fill(1) }))),
  },
  {
    name: 'documents',
    size: 20,
    strike: async (target, size) => {
      const socket = await openGraphql(target);
      const answered = answers(socket, 2 * size);
      for (let n = 0; n < size; n += 1) socket.send(subscribe(n, documents[n % documents.length] ?? ''));
      const messages = await answered;
      socket.terminate();
      return { messages };
    },
  },
  {
    name: 'variables',
    size: 450_000,
    strike: (target, size) => {
      const query = 'mutation ($list: [JSON!]) { sendEvent(input: { name: "n", data: { list: $list } }) { eventId } }';
      const body = JSON.stringify({ query, variables: { list: Array<number>(size).fill(1) } });
      return inTurn(4, () => post(target, '/graphql', body));
    },
  },
  {
    name: 'crons',
    size: 5_000,
    strike: async (target, size) => {
      const triggers = Array.from({ length: size }, (_, n) => ({ cron: `${n % 60} ${n % 24} ${1 + (n % 28)} 1 *` }));
      const isAccepted = await register(target, 'attacker', [{ name: 'w', triggers }]);
      return { accepted: isAccepted ? 1 : 0 };
    },
  },
  {
    name: 'subscriptions',
    size: 3_000,
    prepare: async (target, size) => {
      for (let first = 0; first < size; first += subscriptionsPerSocket) {
        const socket = await openGraphql(target);
        for (let n = 0; n < subscriptionsPerSocket; n += 1) socket.send(subscribe(n, subscription));
      }
    },
    strike: (target) => inTurn(10, (n) => post(target, '/events', event('watched', { n }))),
  },
];
