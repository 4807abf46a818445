import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SpendWindows } from '../../../../../src/engine/flow/policies/budget/spendWindows.ts';
import { newId } from '../../../../../src/engine/ids.ts';
import { checkProperty } from '../../../../random/kit/checkProperty.ts';
import { useEngine } from '../../../../support/engine.ts';

const service = useEngine();

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Time passes, then an amount in cents is spent or not, then the window is read or not. */
interface Move {
  afterMs: number;
  tokens: number | undefined;
  cents: number | undefined;
  looks: boolean;
}

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.constantFrom(0, 1, second, minute, 5 * minute, hour, 3 * hour, -hour), fc.nat(20 * minute)),
    tokens: fc.option(fc.nat(1000), { nil: undefined }),
    cents: fc.option(fc.nat(99), { nil: undefined }),
    looks: fc.boolean(),
  }),
  { minLength: 5, maxLength: 40 },
);

const cases = fc.record({ windowMs: fc.constantFrom(1, minute, 10 * minute, hour, 3 * hour, 100 * hour), moves });

interface Call {
  at: number;
  tokens: number;
  cents: number | undefined;
}

async function check({ windowMs, moves: made }: { windowMs: number; moves: Move[] }): Promise<void> {
  const { db } = service;
  const ref = { projectId: newId(), app: 'default', workflow: 'flow' };
  const windows = new SpendWindows();
  const calls: Call[] = [];
  let now = Date.parse('2026-11-21T12:00:00.123Z');
  for (const { afterMs, tokens, cents, looks } of made) {
    now += afterMs;
    if (tokens !== undefined) {
      calls.push({ at: now, tokens, cents });
      await db.prisma.aiUsage.create({
        data: {
          ...ref,
          runId: newId(),
          stepIndex: 0,
          attempt: 1,
          tokensIn: tokens,
          cost: cents === undefined ? null : cents / 100,
          createdAt: new Date(now),
        },
      });
    }
    // Windows are read every few seconds. So between two reads, the clock never jumps backward and
    // then forward.
    if (!looks && afterMs >= 0) continue;
    const counted = calls.filter((call) => call.at > now - windowMs);
    const priced = counted.flatMap((call) => call.cents ?? []);
    const [read] = await windows.read(db, [{ ...ref, windowMs }], new Date(now));
    expect(read).toEqual({
      tokens: counted.reduce((sum, call) => sum + call.tokens, 0),
      cost: priced.length === 0 ? undefined : priced.reduce((sum, each) => sum + each, 0) / 100,
    });
  }
}

it('the spend of a window is the sum of its calls at any time and after any clock change', async () => {
  await checkProperty('spendWindows', fc.asyncProperty(cases, check), 100);
}, 120_000);

it('settled spends are read once', async () => {
  const { db } = service;
  const ref = { projectId: newId(), app: 'default', workflow: 'flow' };
  const at = new Date('2026-11-21T12:00:00.000Z');
  const data = Array.from({ length: 48 }, (_, hours) => ({
    ...{ ...ref, runId: newId(), stepIndex: 0, attempt: 1, tokensIn: 1 },
    createdAt: new Date(at.getTime() - hours * hour - 1),
  }));
  await db.prisma.aiUsage.createMany({ data });
  const windows = new SpendWindows();
  const read = async (later: number) =>
    windows.read(db, [{ ...ref, windowMs: 24 * hour }], new Date(at.getTime() + later));
  expect(await read(0)).toEqual([{ tokens: 24, cost: undefined }]);
  await db.query(`update ai_usage set tokens_in = 100 where project_id = '${ref.projectId}'`);
  // The end of the last hour is not settled yet. All else is cached.
  expect(await read(second)).toEqual([{ tokens: 123, cost: undefined }]);
});
