import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/engine/clock.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import { newId } from '../../src/engine/ids.ts';
import { sharedRead } from '../../src/engine/sharedRead.ts';
import { insertRun, query, secretKey } from '../schema/fixtures.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { withObservedReads } from '../support/observedReads.ts';

const test = useEngine();

/** An engine of its own, which counts the slow reads and can hold or fail them. */
function observed() {
  const clock = new ManualClock();
  const reads = { count: 0, before: async (): Promise<void> => undefined };
  const { longReads } = test.engine;
  const turns = { taken: 0 };
  const take: typeof longReads.take = (work) => {
    turns.taken += 1;
    return longReads.take(work);
  };
  const counted = { ...test.engine, clock, longReads: { ...longReads, take } };
  const engine: EngineContext = withObservedReads(counted, async (_tx, read) => {
    reads.count += 1;
    await reads.before();
    await read();
  });
  const ask = (maxAgeMs: number, value: string = projectId) =>
    sharedRead<{ value: string }>(engine, { text: 'select $1::text as value', values: [value] }, maxAgeMs);
  return { engine, clock, reads, turns, ask };
}

const projectId = newId();

describe('a shared read', () => {
  it('answers all who ask the same in one turn, also at once, for as long as each allows', async () => {
    const { clock, reads, turns, ask } = observed();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(1_000)));
    expect(new Set(answers.map(([row]) => row?.value))).toEqual(new Set([projectId]));
    expect([reads.count, turns.taken]).toEqual([1, 1]);
    clock.advance(1_000);
    await ask(1_000);
    expect(reads.count).toBe(1);
    await ask(999);
    expect(reads.count).toBe(2);
    clock.advance(500);
    await ask(999);
    expect(reads.count).toBe(2);
  });

  it('counts its age from its beginning', async () => {
    const { clock, reads, ask } = observed();
    reads.before = async () => clock.advance(2_000);
    await ask(1_000);
    await ask(1_000);
    expect(reads.count).toBe(2);
  });

  it('is nobody else’s answer: another project reads for itself, and 0 shares nothing', async () => {
    const { reads, ask } = observed();
    await ask(1_000);
    expect(await ask(1_000, 'another')).toEqual([{ value: 'another' }]);
    await Promise.all([ask(0), ask(0)]);
    expect(reads.count).toBe(4);
  });

  it('that fails fails for those who wait for it, and for nobody later', async () => {
    const { reads, ask } = observed();
    reads.before = async () => Promise.reject(new Error('refused'));
    const outcomes = await Promise.allSettled([ask(1_000), ask(1_000)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(reads.count).toBe(1);
    reads.before = async () => undefined;
    expect(await ask(1_000)).toEqual([{ value: projectId }]);
  });

  it('from the future of a clock that was set back is read again', async () => {
    const { clock, reads, ask } = observed();
    await ask(1_000);
    clock.advance(-5_000);
    await ask(1_000);
    expect(reads.count).toBe(2);
  });
});

describe('the argument maxAge', () => {
  const figures = `query ($maxAge: Int) {
    runStats(maxAge: $maxAge) { total }
    runStatsBy(by: APP, maxAge: $maxAge) { total }
    runTimeseries(bucket: 2000000000, maxAge: $maxAge) { total }
    failureGroups(maxAge: $maxAge) { examined }
  }`;
  const answered = (total: number) => ({
    runStats: { total },
    runStatsBy: [{ total }],
    runTimeseries: [{ total }],
    failureGroups: { examined: total },
  });

  it('of statistics takes an older answer, and none is the present', async () => {
    const { engine, clock } = observed();
    const project = await createTestProject(engine);
    const failed = { status: 'failed', endedAt: clock.now(), error: '{"name":"E","message":"m"}' } as const;
    const ask = (maxAge?: number) => query(engine, secretKey(project), figures, { maxAge } as never);
    await insertRun(engine, project, failed);
    expect(await ask(60)).toEqual(answered(1));
    await insertRun(engine, project, failed);
    clock.advance(60_000);
    expect(await ask(60)).toEqual(answered(1));
    expect(await ask(0)).toEqual(answered(2));
    expect(await ask()).toEqual(answered(2));
    expect(await ask(59)).toEqual(answered(2));
  });

  it.each([-1, 3_601])('is refused at %s', async (maxAge) => {
    const asked = query(
      test.engine,
      secretKey(newId()),
      '{ runStats(maxAge: NUMBER) { total } }'.replace('NUMBER', `${maxAge}`),
    );
    await expect(asked).rejects.toThrow('maxAge must be an integer of seconds from 0 to 3600');
  });
});
