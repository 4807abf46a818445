import { type AiAllowance, capReached, type FlowControl, type InvokeRequest } from '@holdfast/sdk/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { checkProperty } from '../../random/kit/checkProperty.ts';
import { useEngine } from '../../support/engine.ts';
import { complete, idOf, memoOf, steps } from '../../support/scriptedRunner.ts';
import { call, openScene } from './scene.ts';

const clock = new ManualClock();

const test = useEngine({ clock });

/**
 * A step of a program: a model call that fails this often before it succeeds. Each attempt reports
 * tokens and cents, or none.
 */
interface Planned {
  ai: { tokens: number; cents: number | undefined } | undefined;
  failures: number;
}

interface Program {
  cap: { maxTokens: number | undefined; maxCents: number | undefined };
  /** Whether the runner refuses calls as the SDK does. If not, the service's own check applies. */
  isHonest: boolean;
  /**
   * Stages run one after the other, and the steps of a stage side by side. An empty stage is a
   * sleep.
   */
  stages: Planned[][];
}

const maxAttempts = 3;

/** Few distinct amounts, so that limits are often met exactly. */
const tens = (max: number) => fc.integer({ min: 0, max }).map((n) => n * 10);

const planned: fc.Arbitrary<Planned> = fc.record({
  ai: fc.option(
    fc.record({
      tokens: tens(4),
      cents: fc.option(tens(2), { nil: undefined }),
    }),
    { nil: undefined, freq: 4 },
  ),
  failures: fc.integer({ min: 0, max: maxAttempts - 1 }),
});

const limit = (max: number) =>
  fc.option(
    tens(max).map((n) => n + 10),
    { nil: undefined, freq: 2 },
  );

const programs: fc.Arbitrary<Program> = fc.record({
  cap: fc
    .record({ maxTokens: limit(19), maxCents: limit(9) })
    .filter(({ maxTokens, maxCents }) => maxTokens !== undefined || maxCents !== undefined),
  isHonest: fc.boolean(),
  stages: fc.array(fc.array(planned, { maxLength: 4 }), { minLength: 1, maxLength: 6 }),
});

const capOf = ({ cap: { maxTokens, maxCents } }: Program): NonNullable<FlowControl['cap']> => ({
  ...(maxTokens !== undefined && { maxTokens }),
  ...(maxCents !== undefined && { maxCost: maxCents / 100 }),
});

interface Foretold {
  status: 'succeeded' | 'failed';
  /** The calls that count: name, attempt, tokens, cents. */
  calls: [string, number, number, number | undefined][];
}

/**
 * Predicts the outcome of a program by the rule alone. Steps that run at the same time are judged
 * by the spend before them. Once that has reached a limit no further call counts, except calls that
 * a runner made against the rule.
 */
function foretell(program: Program): Foretold {
  const { maxTokens = Number.POSITIVE_INFINITY, maxCents = Number.POSITIVE_INFINITY } = program.cap;
  const calls: Foretold['calls'] = [];
  for (const [place, stageSteps] of program.stages.entries()) {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const round = [...stageSteps.entries()].filter(([, { ai, failures }]) => ai && failures >= attempt - 1);
      const tokens = calls.reduce((sum, each) => sum + each[2], 0);
      const cents = calls.reduce((sum, each) => sum + (each[3] ?? 0), 0);
      const isReached = tokens >= maxTokens || cents >= maxCents;
      const made = round.flatMap(([at, { ai }]): Foretold['calls'] =>
        ai ? [[nameOf(place, at), attempt, ai.tokens, ai.cents]] : [],
      );
      if (isReached && made.length > 0) {
        return { status: 'failed', calls: program.isHonest ? calls : [...calls, ...made] };
      }
      calls.push(...made);
    }
  }
  return { status: 'succeeded', calls };
}

const nameOf = (place: number, at: number): string => `step ${place}.${at}`;
const napOf = (place: number): string => `nap ${place}`;

function handle(program: Program, request: InvokeRequest) {
  for (const [place, stageSteps] of program.stages.entries()) {
    if (stageSteps.length === 0 && !memoOf(request, napOf(place))) {
      return steps([{ op: 'Sleep', name: napOf(place), sleepMs: 1 }]);
    }
    const names = stageSteps.map((_, at) => nameOf(place, at));
    const open = names.filter((name) => !isDone(request, name));
    if (open.length > 0 || isPending(request, napOf(place))) {
      return steps(stageSteps.flatMap((step, at) => tried(program, request, nameOf(place, at), step)));
    }
  }
  return complete('done');
}

const isPending = (request: InvokeRequest, name: string): boolean => {
  const memo = memoOf(request, name);
  return memo !== undefined && 'pending' in memo;
};
const isDone = (request: InvokeRequest, name: string): boolean =>
  memoOf(request, name) !== undefined && !isPending(request, name);

type Opcodes = Parameters<typeof steps>[0];

function tried(program: Program, request: InvokeRequest, name: string, { ai, failures }: Planned): Opcodes {
  if (memoOf(request, name)) return [];
  const attempt = request.ctx.stepAttempts?.[idOf(name)] ?? 1;
  if (ai && program.isHonest && capReached(request.ctx.ai ?? { tokens: 0 }) !== undefined) {
    return [{ op: 'StepRun' as const, name, error: { name: 'BudgetError', message: 'refused' }, retriable: false }];
  }
  const outcome = attempt <= failures ? { error: { message: 'try again' } } : {};
  if (!ai) return [{ op: 'StepRun' as const, name, data: 1, ...outcome }];
  const usage = { tokensIn: ai.tokens, ...(ai.cents !== undefined && { cost: ai.cents / 100 }) };
  return [call(name, usage, outcome)];
}

async function check(program: Program): Promise<void> {
  const scene = await openScene(test, (request) => handle(program, request), { cap: capOf(program), maxAttempts });
  const runId = await scene.start();
  for (let turn = 0; turn < 40 && (await scene.run(runId)).endedAt === null; turn += 1) {
    await scene.dispatcher.runOnce();
    clock.advance(2000);
  }
  const expected = foretell(program);
  const run = await scene.run(runId);
  expect(run.status).toBe(expected.status);
  if (run.status === 'failed') expect(run.error).toMatchObject({ name: 'BudgetError' });
  const rows = await scene.steps(runId);
  const named = new Map(rows.map((row) => [row.index, row.name]));
  const calls = (await scene.usage(runId)).map(({ stepIndex, attempt, tokensIn, cost }) => [
    named.get(stepIndex),
    attempt,
    Number(tokensIn),
    cost === null ? undefined : Math.round(cost * 100),
  ]);
  const sorted = (list: unknown[][]) => list.map((each) => JSON.stringify(each)).sort();
  expect(sorted(calls)).toEqual(sorted(expected.calls));
  tellsTheTruth(program, scene.told(runId), expected);
}

/**
 * The spend that the runner receives grows, never exceeds the calls that count, and comes with the
 * limits.
 */
function tellsTheTruth(program: Program, told: (AiAllowance | undefined)[], { calls }: Foretold): void {
  const all = calls.reduce((sum, each) => sum + each[2], 0);
  let before = 0;
  for (const ai of told) {
    expect(ai).toMatchObject(capOf(program));
    expect(ai?.tokens).toBeGreaterThanOrEqual(before);
    expect(ai?.tokens).toBeLessThanOrEqual(all);
    before = ai?.tokens ?? 0;
  }
}

it('a cap ends every program of AI steps, parallel, sequential and retried, where the rule says', async () => {
  await checkProperty('capModel', fc.asyncProperty(programs, check), 60);
}, 120_000);
