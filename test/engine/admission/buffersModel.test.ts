import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { reanchorBuffers } from '../../../src/engine/admission/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { runDoctor } from '../../../src/engine/doctor/index.ts';
import { updateProject } from '../../../src/engine/projects/index.ts';
import { BufferModel, listOf, type Policy, type Sent } from './bufferModel.ts';
import { buffered, mixed, occurrences, sizesOf, startedBy } from './bufferReads.ts';
import { BufferScene } from './bufferScene.ts';

let scene: BufferScene;

beforeAll(async () => {
  scene = await BufferScene.open();
});
afterAll(() => scene.test.close());

interface Arrival {
  key: string | undefined;
  isPinned: boolean;
  engine: number;
}

type Action =
  | { kind: 'advance'; ms: number }
  | { kind: 'send'; arrivals: Arrival[] }
  | { kind: 'flush'; flushers: number }
  | { kind: 'race'; arrivals: Arrival[]; flushers: number }
  | { kind: 'sendAndDie'; arrival: Arrival; where: string }
  | { kind: 'flushAndDie'; where: string }
  | { kind: 'setBack'; ms: number }
  | { kind: 'suspend'; suspended: boolean }
  | { kind: 'register'; policy: Policy };

const arrival: fc.Arbitrary<Arrival> = fc.record({
  key: fc.constantFrom('a', 'b', undefined),
  isPinned: fc.boolean(),
  engine: fc.nat(2),
});
const policies: fc.Arbitrary<Policy> = fc.record({
  periodMs: fc.integer({ min: 1, max: 3_000 }),
  maxSize: fc.integer({ min: 1, max: 5 }),
  timeoutMs: fc.integer({ min: 1, max: 5_000 }),
});
const flushers = fc.integer({ min: 1, max: 3 });
const written = (...names: string[]) =>
  fc.constantFrom(
    ...names.flatMap((name) => [`${name}:before`, `${name}:after`]),
    'transaction:before',
    'transaction:after',
  );
const bursts = fc.array(arrival, { minLength: 1, maxLength: 9 });

const actions: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('send'), arrivals: bursts }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('send'), arrivals: fc.tuple(arrival) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('advance'), ms: fc.integer({ min: -1_000, max: 4_000 }) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('flush'), flushers }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('race'), arrivals: bursts, flushers }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('sendAndDie'),
      arrival,
      where: written('slideDebounced', 'putBufferItems', 'openBatches', 'growBatches', 'addBatches', 'ingestIntakes'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('flushAndDie'), where: written('removeFlushed', 'ingestIntakes') }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('setBack'), ms: fc.nat(3_600_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('suspend'), suspended: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('register'), policy: policies }) },
);

/** A project with its model and the sent events. */
class Trial {
  readonly model = new BufferModel();
  readonly accepted: Sent[] = [];
  #next = 0;

  async register(policy: Policy): Promise<void> {
    const { periodMs, maxSize, timeoutMs } = policy;
    this.model.register(now(), policy);
    const triggers = [{ event: 'ev' }];
    const [debounce, batch] = [
      { periodMs, key: 'k' },
      { maxSize, timeoutMs, key: 'k' },
    ];
    await scene.register(
      { name: 'debounced', triggers, debounce },
      { name: 'batched', triggers, batch },
      { name: 'both', triggers, debounce, batch },
    );
  }

  async perform(action: Action): Promise<void> {
    switch (action.kind) {
      case 'advance':
        return scene.clock.advance(action.ms);
      case 'send':
        return this.#arrived(await this.#sendAll(action.arrivals));
      case 'flush':
        return this.flush(action.flushers);
      case 'race':
        return this.#race(action.arrivals, action.flushers);
      case 'sendAndDie':
        return this.#arrived(await dying(action.where, () => this.#sendAll([action.arrival])));
      case 'flushAndDie':
        await dying(action.where, () =>
          scene.flush().then(
            () => [],
            () => [],
          ),
        );
        return this.flush(1);
      case 'setBack':
        scene.clock.advance(-action.ms);
        this.model.reanchor(now());
        await reanchorBuffers(scene.engine);
        return;
      case 'suspend':
        this.model.isSuspended = action.suspended;
        await updateProject(scene.engine, { id: scene.projectId, suspended: action.suspended });
        return;
      case 'register':
        return this.register(action.policy);
    }
  }

  async flush(count: number): Promise<void> {
    await Promise.all(scene.engines.slice(0, count).map((engine) => scene.flush(engine)));
    // The other flusher has released its buffers.
    await scene.flush();
    this.model.flush(now());
  }

  /** Sends events at the same time, and returns the accepted ones. */
  async #sendAll(arrivals: readonly Arrival[]): Promise<Sent[]> {
    const sent = arrivals.map(async ({ key, isPinned, engine }) => {
      const n = this.#next++;
      const scope = `${key ?? ''}/${isPinned ? 'runner-1' : ''}`;
      const data = { n, ...(key === undefined ? {} : { k: key }) };
      try {
        await scene.send('ev', data, isPinned ? { runner: 'runner-1' } : {}, scene.engines[engine]);
      } catch (error) {
        if (!(error instanceof Died)) throw error;
        if (error.message !== 'transaction:after') return [];
      }
      return [{ scope, n }];
    });
    return (await Promise.all(sent)).flat();
  }

  #arrived(events: readonly Sent[]): void {
    if (!this.model.isSuspended) this.accepted.push(...events);
    this.model.arrive(now(), events);
  }

  /**
   * Sends events while others are flushed. A due buffer may include them or not. Afterwards the
   * model adopts the actual state.
   */
  async #race(arrivals: readonly Arrival[], count: number): Promise<void> {
    const due = [...this.model.debounced].filter(([, pending]) => !this.model.isSuspended && pending.due <= now());
    const before = new Map((await startedBy(scene, 'debounced')).map(([scope, all]) => [scope, all.length]));
    const flushing = scene.engines.slice(0, count).map((engine) => scene.flush(engine));
    const [events] = await Promise.all([this.#sendAll(arrivals), ...flushing]);
    await scene.flush();
    if (!this.model.isSuspended) this.accepted.push(...events);
    const after = new Map(await startedBy(scene, 'debounced'));
    for (const [scope, { candidates }] of due) {
      const started = (after.get(scope) ?? []).slice(before.get(scope) ?? 0);
      const isReplaced = started.length === 0 && events.some((each) => each.scope === scope);
      if (!isReplaced) expect({ scope, started }).toEqual({ scope, started: [expect.toBeOneOf(candidates)] });
    }
    await this.#adopt(events);
  }

  async #adopt(events: readonly Sent[]): Promise<void> {
    const { model } = this;
    for (const [scope, all] of await startedBy(scene, 'debounced')) {
      const known = listOf(model.runs, scope);
      known.push(...all.slice(known.length).map((n) => [n]));
    }
    for (const [scope, sizes] of await sizesOf(scene, 'batched')) model.sizes.set(scope, sizes);
    const pending = new Map([...model.debounced].map(([scope, { candidates }]) => [scope, candidates]));
    if (!model.isSuspended) {
      for (const { scope } of events)
        pending.set(
          scope,
          events.filter((each) => each.scope === scope).map(({ n }) => n),
        );
    }
    model.debounced.clear();
    model.batches.clear();
    for (const { workflow, scope, items, due, since, isOpen } of await buffered(scene)) {
      if (workflow === 'debounced') model.debounced.set(scope, { due, since, candidates: pending.get(scope) ?? [] });
      if (workflow === 'batched') listOf(model.batches, scope).push({ items, due, since, isOpen });
    }
  }

  /** Compares the database with the model. Every accepted event must occur exactly once. */
  async compare(): Promise<void> {
    const started = await startedBy(scene, 'debounced');
    const due = [...this.model.runs].filter(([, runs]) => runs.length > 0);
    expect(started.map(([scope, all]) => [scope, all.length]).sort()).toEqual(
      due.map(([scope, runs]) => [scope, runs.length]).sort(),
    );
    for (const [scope, all] of started) {
      const allowed = this.model.runs.get(scope) ?? [];
      for (const [index, n] of all.entries()) expect(allowed[index]).toContain(n);
    }
    const sizes = [...this.model.sizes].filter(([, all]) => all.length > 0);
    expect(sorted(await sizesOf(scene, 'batched'))).toEqual(sorted(sizes));
    expect(await occurrences(scene, 'batched')).toEqual(this.accepted.map(({ n }) => n).sort((a, b) => a - b));
    const both = await occurrences(scene, 'both');
    expect(new Set(both).size).toBe(both.length);
    expect(await mixed(scene)).toEqual([]);
  }
}

const now = (): number => scene.clock.now().getTime();

const sorted = (entries: [string, number[]][]): [string, number[]][] =>
  entries.map(([scope, all]): [string, number[]] => [scope, [...all].sort()]).sort((a, b) => (a[0] < b[0] ? -1 : 1));

/** Behaves like a cut connection. */
class Died extends Error {
  readonly code = '57P01';
}

async function dying(where: string, work: () => Promise<Sent[]>): Promise<Sent[]> {
  onFailPoint((point) => {
    if (point === where) throw new Died(where);
  });
  try {
    return await work();
  } finally {
    onFailPoint(undefined);
  }
}

it('buffers equal a small model under random arrivals, clock changes, crashes, registrations and rival processes', async () => {
  // Runs as many cases as fit in a minute. The case in progress runs to its end.
  const end = performance.now() + 60_000;
  await fc.assert(
    fc.asyncProperty(policies, fc.array(actions, { minLength: 5, maxLength: 25 }), async (policy, list) => {
      if (performance.now() > end) return;
      await scene.test.db.query('delete from flow_buffer');
      await scene.test.db.query('delete from flow_buffer_item');
      await scene.project();
      const trial = new Trial();
      await trial.register(policy);
      for (const action of list) {
        await trial.perform(action);
        await trial.compare();
      }
      await trial.perform({ kind: 'suspend', suspended: false });
      // Covers the two waits of a workflow with both policies, and a clock error of a minute.
      for (const ms of [70_000, 70_000, 70_000]) {
        scene.clock.advance(ms);
        await trial.flush(3);
        await trial.compare();
      }
      expect(await scene.buffers()).toEqual([]);
    }),
    { numRuns: 60 },
  );
  const { checks } = await runDoctor(scene.engine);
  expect(checks.flatMap((each) => each.violations)).toEqual([]);
}, 240_000);
