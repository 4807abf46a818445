import type { FlowControl, WireWorkflow } from '@holdfast/sdk/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { flushDueBuffers } from '../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { simulateFlow } from '../../../src/engine/simulation/index.ts';
import { drawFrom } from '../../random/kit/turns.ts';
import { useEngine } from '../../support/engine.ts';
import { type FlowScene, openFlowScene, outcomeOf } from '../flow/flowScene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });
let scene: FlowScene;
/** When the first event of a test arrives. */
let first: Date;
/** Ids of events are made by the true time, which the clock is ahead of. */
const since = new Date(Date.now() - 60_000);

beforeEach(() => {
  first = clock.now();
});

const open = async (policies: FlowControl = {}): Promise<void> => {
  const workflow: WireWorkflow = { name: 'order', ...policies };
  scene = await openFlowScene(test, [workflow]);
};

/** Sends events, each so many ms after the one before. Answers what became of them. */
async function arrive(gaps: readonly number[], data: (at: number) => unknown = () => ({})): Promise<string[]> {
  const outcomes: string[] = [];
  for (const [at, gap] of gaps.entries()) {
    clock.advance(gap);
    outcomes.push(outcomeOf(await scene.send('order', data(at))));
  }
  return outcomes;
}

/** Simulates them under these policies; default: those in force. */
async function simulate(flowControl?: unknown, more: Partial<Parameters<typeof simulateFlow>[1]> = {}) {
  const { engine } = test;
  const until = new Date(clock.now().getTime() + 1);
  const asked = { projectId: scene.projectId, app: 'default', workflow: 'order', since, until, limit: 1_000 };
  return simulateFlow(engine, { ...asked, flowControl, durationMs: 0, ...more });
}

const outcomesOf = ({ starts }: Awaited<ReturnType<typeof simulate>>): string[] => starts.map((each) => each.outcome);
const startsOf = ({ starts }: Awaited<ReturnType<typeof simulate>>): (number | undefined)[] =>
  starts.map(({ startedAtMs }) => (startedAtMs === undefined ? undefined : startedAtMs - first.getTime()));
const gate = ({ gates }: Awaited<ReturnType<typeof simulate>>, policy: string) =>
  gates.find((each) => each.policy === policy);

/** Ends a run by hand, so many ms after its creation. Its steps waited from and to these times. */
async function end(runId: string | undefined, { ms, waits }: { ms: number; waits: [number, number][] }): Promise<void> {
  await test.db.query(
    `insert into run_step (run_id, index, attempt, step_id, name, op, status, started_at, ended_at)
     select id, n, 1, 'nap' || n, 'nap' || n, 'Sleep', 'succeeded', created_at + begun * interval '1 ms',
       created_at + done * interval '1 ms'
     from run, unnest($2::int[], $3::int[]) with ordinality as wait(begun, done, n) where id = $1`,
    [runId, waits.map(([begun]) => begun), waits.map(([, done]) => done)],
  );
  await test.db.query(
    `update run set status = 'succeeded', started_at = created_at, ended_at = created_at + $2 * interval '1 ms'
     where id = $1`,
    [runId, ms],
  );
  await test.db.query('delete from run_work where run_id = $1', [runId]);
}

describe('a simulation of the policies in force', () => {
  it('drops the starts that rateLimit dropped', async () => {
    await open({ rateLimit: { limit: 2, perMs: 1_000 } });
    const seen = await arrive([0, 100, 100, 100, 600, 900]);
    const found = await simulate();
    expect(outcomesOf(found)).toEqual(seen.map((each) => (each === 'run' ? 'started' : each)));
    expect(outcomesOf(found)).toContain('dropped');
    expect(gate(found, 'rateLimit')?.withheld).toBe(seen.filter((each) => each === 'dropped').length);
  });

  it('drops the repeats that idempotency dropped, by its key', async () => {
    await open({ idempotency: { key: 'order.id', periodMs: 1_000 } });
    const seen = await arrive([0, 100, 100, 1_000], (at) => ({ order: { id: at === 1 ? 'b' : 'a' } }));
    expect(seen).toEqual(['run', 'run', 'deduped', 'run']);
    expect(outcomesOf(await simulate())).toEqual(['started', 'started', 'deduped', 'started']);
  });
});

describe('a simulation of random policies in force', () => {
  it.each(Array.from({ length: 30 }, (_, seed) => seed + 1))(
    'withholds and delays what they did (seed %i)',
    async (seed) => {
      const random = drawFrom(seed);
      const policies = randomPolicies(random);
      await open(policies);
      const gaps = Array.from({ length: 12 }, () => random(400));
      const seen = await arrive(gaps, () => ({ a: random(3), b: { c: `${random(2)}` } }));
      const runs = await scene.runs();
      // Without a runner, no run ends.
      const found = await simulate(undefined, { durationMs: 86_400_000 });
      const doors = outcomesOf(found).map((outcome) =>
        outcome === 'displaced' || outcome === 'started' ? 'run' : outcome,
      );
      expect(doors).toEqual(seen);
      const starts = runs.flatMap(({ status, startAt, createdAt }) =>
        status === 'queued' ? [startAt ?? createdAt] : [],
      );
      const simulated = found.starts.flatMap(({ outcome, startedAtMs }) =>
        outcome === 'started' && startedAtMs !== undefined ? [new Date(startedAtMs)] : [],
      );
      expect(simulated).toEqual(starts);
    },
  );
});

function randomPolicies(random: (below: number) => number): FlowControl {
  const key = () => ({ key: ['a', 'b.c', 'absent', undefined][random(4)] });
  const rate = () => ({ limit: 1 + random(3), perMs: 300 + random(2_000), ...key() });
  return {
    ...(random(2) === 0 && { idempotency: { periodMs: 200 + random(1_000), ...key() } }),
    ...(random(2) === 0 && { singleton: { mode: random(2) === 0 ? 'skip' : 'cancel', ...key() } as const }),
    ...(random(2) === 0 && { rateLimit: rate() }),
    ...(random(2) === 0 && { throttle: rate() }),
  };
}

describe('a simulation of random policies with limits', () => {
  it.each(Array.from({ length: 30 }, (_, seed) => seed + 1))(
    'executes each run in the end, never more at once, and none later than it may (seed %i)',
    async (seed) => {
      const random = drawFrom(seed);
      await open();
      const payloads = Array.from({ length: 16 }, () => ({ a: random(3), b: { c: `${random(2)}` } }));
      const gaps = payloads.map(() => random(300));
      await arrive(gaps, (at) => payloads[at]);
      const key = (): string | undefined => ['a', 'b.c', undefined][random(3)];
      const limit = 1 + random(2);
      const slotKey = key();
      const [concurrencyCeiling, durationMs] = [random(4), 1 + random(900)];
      const policies: FlowControl = {
        ...(random(4) > 0 && { concurrency: { limit, key: slotKey } }),
        ...(random(2) === 0 && { throttle: { limit: 1 + random(3), perMs: 1 + random(900), key: key() } }),
        ...(random(4) === 0 && { debounce: { periodMs: 1 + random(400), key: key() } }),
        ...(random(4) === 0 && { batch: { maxSize: 1 + random(4), timeoutMs: 1 + random(900), key: key() } }),
        ...(random(4) === 0 && { singleton: { mode: random(2) === 0 ? 'skip' : 'cancel', key: key() } as const }),
      };
      const found = await simulate(policies, { concurrencyCeiling, durationMs });
      expect(found.starts).toHaveLength(16);
      expect(found.starts.filter((each) => each.queuedMs < 0 || each.spacedMs < 0 || each.activeMs < 0)).toEqual([]);
      const scopeOf = (at: number): string => {
        const { a, b } = payloads[at] ?? { a: 0, b: { c: '' } };
        return slotKey === 'a' ? `${a}` : slotKey === 'b.c' ? b.c : '';
      };
      const runs = runsOf(found, scopeOf);
      const executing = (atMs: number) => runs.filter((run) => run.startsMs <= atMs && run.endsMs > atMs);
      const isFull = (run: (typeof runs)[number], atMs: number): boolean => {
        const others = executing(atMs).filter((other) => other !== run);
        const ofScope = others.filter((other) => other.scope === run.scope);
        const isOver = (count: number, most: number): boolean => most > 0 && count >= most;
        return isOver(others.length, concurrencyCeiling) || isOver(ofScope.length, policies.concurrency ? limit : 0);
      };
      for (const run of runs) {
        // Each executes while there is room, and waits only while there is none.
        expect([run, isFull(run, run.startsMs)]).toEqual([run, false]);
        const missed = runs.filter(({ endsMs }) => endsMs >= run.startsMs - run.queuedMs && endsMs < run.startsMs);
        for (const { endsMs } of missed) expect([run, endsMs, isFull(run, endsMs)]).toEqual([run, endsMs, true]);
      }
    },
  );
});

/** The runs that execute. Starts of a batch share one, which has the scope of the first. */
function runsOf({ starts }: Awaited<ReturnType<typeof simulate>>, scopeOf: (at: number) => string) {
  const runs = starts.flatMap(({ simulatedRun, startedAtMs, activeMs, queuedMs }, at) =>
    startedAtMs === undefined
      ? []
      : [
          [
            simulatedRun,
            { startsMs: startedAtMs, endsMs: startedAtMs + activeMs, queuedMs, scope: scopeOf(at) },
          ] as const,
        ],
  );
  return [...new Map(runs.reverse()).values()];
}

describe('a simulation of other policies', () => {
  it('spaces starts by throttle', async () => {
    await open();
    await arrive([0, 10, 10, 5_000]);
    const found = await simulate({ throttle: { limit: 1, perMs: 1_000 } });
    expect(startsOf(found)).toEqual([0, 1_000, 2_000, 5_020]);
    expect(gate(found, 'throttle')).toMatchObject({ delayed: 2, longestMs: 1_980 });
  });

  it('keeps only the last start of a burst by debounce', async () => {
    await open();
    await arrive([0, 100, 100, 5_000], (at) => ({ n: at }));
    const found = await simulate({ debounce: { periodMs: 1_000 } });
    expect(outcomesOf(found)).toEqual(['debounced', 'debounced', 'started', 'started']);
    expect(startsOf(found)).toEqual([undefined, undefined, 1_200, 6_200]);
    expect(gate(found, 'debounce')).toMatchObject({ withheld: 2, delayed: 2 });
  });

  it('collects starts by batch: a full one at once, another after its timeout', async () => {
    await open();
    await arrive([0, 100, 100]);
    const found = await simulate({ batch: { maxSize: 2, timeoutMs: 1_000 } });
    expect(outcomesOf(found)).toEqual(['batched', 'batched', 'batched']);
    expect(startsOf(found)).toEqual([100, 100, 1_200]);
  });

  it('lets starts of each key pass concurrency in their order, and tells how long they queue', async () => {
    await open();
    await arrive([0, 10, 10, 10], (at) => ({ customer: at === 2 ? 'b' : 'a' }));
    const found = await simulate({ concurrency: { limit: 1, key: 'customer' } }, { durationMs: 1_000 });
    expect(startsOf(found)).toEqual([0, 1_000, 20, 2_000]);
    expect(gate(found, 'concurrency')).toMatchObject({ delayed: 2, longestMs: 1_970 });
  });

  it('lets no more runs execute than a ceiling allows', async () => {
    await open();
    await arrive([0, 10, 10]);
    const found = await simulate({}, { durationMs: 1_000, concurrencyCeiling: 2 });
    expect(startsOf(found)).toEqual([0, 10, 1_000]);
    expect(gate(found, 'ceiling')).toMatchObject({ delayed: 1 });
  });

  it('skips starts while the singleton of their key runs, or displaces it', async () => {
    await open();
    await arrive([0, 500, 600]);
    const skipped = await simulate({ singleton: { mode: 'skip' } }, { durationMs: 1_000 });
    expect(outcomesOf(skipped)).toEqual(['started', 'skipped', 'started']);
    const displaced = await simulate({ singleton: {} }, { durationMs: 1_000 });
    expect(displaced.starts.map((each) => each.activeMs)).toEqual([500, 600, 1_000]);
    expect(outcomesOf(displaced)).toEqual(['displaced', 'displaced', 'started']);
    expect(gate(displaced, 'singleton')?.withheld).toBe(2);
  });

  it('opens the slots of all keys when a ceiling has room', async () => {
    await open();
    await arrive([0, 100, 100, 100], (at) => ({ k: at < 2 ? 'b' : 'a' }));
    const found = await simulate({ concurrency: { limit: 2, key: 'k' } }, { durationMs: 1_000, concurrencyCeiling: 2 });
    expect(startsOf(found)).toEqual([0, 100, 1_000, 1_100]);
    expect(gate(found, 'ceiling')).toMatchObject({ delayed: 2 });
  });

  it('tells which of two limits delays a start', async () => {
    await open();
    await arrive([0, 10]);
    const found = await simulate({ concurrency: { limit: 9 } }, { durationMs: 1_000, concurrencyCeiling: 1 });
    expect(gate(found, 'concurrency')).toMatchObject({ delayed: 0 });
    expect(gate(found, 'ceiling')).toMatchObject({ delayed: 1, longestMs: 990 });
  });

  it('leaves a batch in its buffer while the run of its singleton goes on', async () => {
    await open();
    await arrive([0, 10], (at) => ({ k: at }));
    const policies = { batch: { maxSize: 2, timeoutMs: 100, key: 'k' }, singleton: { mode: 'skip' } };
    const found = await simulate(policies, { durationMs: 3_600_000 });
    expect(outcomesOf(found)).toEqual(['batched', 'batched']);
    expect(startsOf(found)).toEqual([100, 3_600_100]);
    expect(gate(found, 'singleton')).toMatchObject({ withheld: 0, delayed: 1, longestMs: 3_599_990 });
    expect(gate(found, 'batch')?.longestMs).toBe(100);
  });

  it('looks for keys in objects only, as the gates do', async () => {
    await open();
    await arrive([0, 10], (at) => ({ items: [{ id: at }] }));
    const found = await simulate({ singleton: { mode: 'skip', key: 'items.0.id' } }, { durationMs: 1_000 });
    expect(outcomesOf(found)).toEqual(['started', 'skipped']);
  });

  it('takes starts through all gates in their order', async () => {
    await open();
    await arrive([0, 100, 2_000, 100]);
    const policies = {
      debounce: { periodMs: 500 },
      batch: { maxSize: 2, timeoutMs: 10_000 },
      throttle: { limit: 1, perMs: 60_000 },
    };
    const found = await simulate(policies);
    expect(outcomesOf(found)).toEqual(['debounced', 'batched', 'debounced', 'batched']);
    expect(startsOf(found)).toEqual([undefined, 2_700, undefined, 2_700]);
  });
});

describe('a simulation', () => {
  it('has the starts that a gate withheld', async () => {
    await open({ rateLimit: { limit: 1, perMs: 60_000 } });
    await arrive([0, 100, 100]);
    expect(outcomesOf(await simulate({}))).toEqual(['started', 'started', 'started']);
  });

  it('executes each run as long as the real one did, without the waits that its steps shared', async () => {
    await open();
    await arrive([0, 10]);
    const [first, second] = await scene.runs();
    await end(first?.id, {
      ms: 11_000,
      waits: [
        [0, 10_000],
        [500, 10_500],
      ],
    });
    await end(second?.id, { ms: 700, waits: [] });
    const found = await simulate({}, { durationMs: undefined });
    expect(found.starts.map((each) => each.activeMs)).toEqual([500, 700]);
  });

  it('executes a batch as long as the real one, and names its run for each of its starts', async () => {
    await open({ batch: { maxSize: 2, timeoutMs: 1_000 } });
    await arrive([0, 10, 10, 10]);
    for (let at = 0; at < 2; at += 1) await flushDueBuffers(test.engine);
    const [first, second] = await scene.runs();
    await end(first?.id, { ms: 700, waits: [] });
    await end(second?.id, { ms: 9_000, waits: [] });
    const found = await simulate(undefined, { durationMs: undefined });
    expect(found.starts.map((each) => each.activeMs)).toEqual([700, 700, 9_000, 9_000]);
    expect(found.starts.map((each) => each.runId)).toEqual([first?.id, first?.id, second?.id, second?.id]);
  });

  it('takes as many of the newest starts as have 200 scopes, for each has a lock', async () => {
    await open();
    for (let at = 0; at < 202; at += 1) await scene.send('order', { n: at });
    const found = await simulate({ concurrency: { limit: 1, key: 'n' } });
    expect(found.isCapped).toBe(true);
    expect(found.starts).toHaveLength(200);
  });

  it('keeps a singleton, and no slot, while a run waits as long as the real one did', async () => {
    await open();
    await arrive([0, 1_000, 1_000, 7_000]);
    for (const { id } of await scene.runs()) await end(id, { ms: 5_000, waits: [[0, 4_000]] });
    const real = { durationMs: undefined };
    expect(startsOf(await simulate({ concurrency: { limit: 1 } }, real))).toEqual([0, 1_000, 2_000, 9_000]);
    const found = await simulate({ singleton: { mode: 'skip' }, concurrency: { limit: 1 } }, real);
    expect(outcomesOf(found)).toEqual(['started', 'skipped', 'skipped', 'started']);
  });

  it('changes nothing, and no buffer of a real workflow', async () => {
    await open({ batch: { maxSize: 10, timeoutMs: 1_000 } });
    await arrive([0, 10]);
    clock.advance(2_000);
    const count = async () => {
      const tables = [
        'project',
        'run',
        'run_work',
        'run_frame',
        'flow_buffer',
        'flow_rate',
        'lane',
        'dispatcher',
        'workflow',
      ];
      const counts = await Promise.all(tables.map((name) => test.db.query(`select count(*)::int as n from ${name}`)));
      return counts.map(({ rows: [row] }) => row.n);
    };
    const before = await count();
    await simulate({ batch: { maxSize: 1, timeoutMs: 1_000 }, concurrency: { limit: 1 } });
    expect(await count()).toEqual(before);
    expect((await flushDueBuffers(test.engine)).flushed).toBe(1);
  });

  it('takes the newest starts if there are more, and says so', async () => {
    await open();
    await arrive([0, 1_000, 1_000]);
    const found = await simulate({}, { limit: 2 });
    expect(found).toMatchObject({ isCapped: true, since: new Date(first.getTime() + 1_000) });
    expect(found.starts).toHaveLength(2);
  });

  it('names policies about spend, which it does not simulate', async () => {
    await open();
    await arrive([0]);
    expect((await simulate({ cap: { maxTokens: 5 }, concurrency: { limit: 1 } })).notSimulated).toEqual(['cap']);
  });

  it.each([
    [{ concurrency: { limit: 0 } }, 'workflow "order": concurrency.limit must be an integer from 1'],
    [{ concurency: { limit: 1 } }, 'flowControl.concurency is no policy'],
    [[], 'flowControl must be an object'],
    ['fast', 'flowControl must be an object'],
  ])('refuses the policies %j by the name of the field', async (flowControl, message) => {
    await open();
    await expect(simulate(flowControl)).rejects.toThrow(message);
  });

  it('refuses a time that ends before it begins, a strange duration, and an unknown workflow', async () => {
    await open();
    await expect(simulate({}, { until: since })).rejects.toThrow('since must be before until');
    await expect(simulate({}, { durationMs: -1 })).rejects.toThrow('durationMs must be an integer from 0');
    await expect(simulate({}, { concurrencyCeiling: -1 })).rejects.toThrow('concurrencyCeiling: must be an integer');
    await expect(simulate({}, { workflow: 'other' })).rejects.toThrow(
      'workflow other is not registered in app default',
    );
  });

  it('sees no start of another project', async () => {
    await open();
    await arrive([0]);
    await open();
    expect((await simulate({})).starts).toEqual([]);
  });
});
