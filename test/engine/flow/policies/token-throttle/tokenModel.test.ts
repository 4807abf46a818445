import type { InvokeRequest } from '@holdfast/sdk/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { triggerWorkflow } from '../../../../../src/engine/admission/index.ts';
import { createEngine } from '../../../../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../../../../src/engine/clock.ts';
import { RawJson } from '../../../../../src/engine/json/index.ts';
import { invokeText, settlePass } from '../../../../../src/engine/passes/index.ts';
import { readMemos } from '../../../../../src/engine/passes/loadMemo.ts';
import { Memo } from '../../../../../src/engine/passes/memo.ts';
import { wakeDueRuns } from '../../../../../src/engine/work/index.ts';
import { checkProperty } from '../../../../random/kit/checkProperty.ts';
import { createTestProject, useEngine } from '../../../../support/engine.ts';
import { ScriptedDispatcher, steps } from '../../../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../../../support/workflows.ts';
import { call } from '../../../ai/scene.ts';

const clock = new ManualClock(new Date('2026-11-21T12:00:00.000Z'));

const service = useEngine({ clock });

type Move =
  | { kind: 'start'; key: number; count: number }
  /**
   * The executing run answers with this many tokens. A repeated answer is sent twice, as if the
   * first one was lost.
   */
  | { kind: 'spend'; tokens: number; isRepeated: boolean }
  /** Advances the clock to the refill of a bucket, plus or minus an offset. */
  | { kind: 'wait'; key: number; ms: number };

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('start' as const), key: fc.nat(1), count: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ kind: fc.constant('spend' as const), tokens: fc.nat(30).map((n) => n * 3), isRepeated: fc.boolean() }),
    fc.record({ kind: fc.constant('wait' as const), key: fc.nat(1), ms: fc.constantFrom(-2, -1, 0, 0, 0, 1, 500) }),
  ),
  { minLength: 10, maxLength: 40 },
);

const cases = fc.record({ tokens: fc.constantFrom(7, 50, 100), perMs: fc.constantFrom(10, 999, 3000), moves });

/** The bucket by the rule alone: its last content, and when that was. */
class ModelBucket {
  readonly #tokens: number;
  readonly #perMs: number;
  #level: number;
  #at: number;

  constructor({ tokens, perMs }: { tokens: number; perMs: number }, at: number) {
    this.#tokens = tokens;
    this.#perMs = perMs;
    this.#level = tokens;
    this.#at = at;
  }

  level(at: number): number {
    return Math.min(this.#tokens, this.#level + ((at - this.#at) * this.#tokens) / this.#perMs);
  }

  /** The ms until the bucket holds a token again. */
  refillsInMs = (at: number): number =>
    this.isDrained(at) ? Math.floor((-this.level(at) * this.#perMs) / this.#tokens + 1e-6) + 1 : 0;

  debit(at: number, tokens: number): void {
    this.#level = this.level(at) - tokens;
    this.#at = at;
  }

  /** The error of doubles is smaller than this. */
  isDrained = (at: number): boolean => this.level(at) <= 1e-9;
}

/** A service of several processes, which do not share memory. */
async function check({ tokens, perMs, moves: made }: { tokens: number; perMs: number; moves: Move[] }): Promise<void> {
  const { db, engine } = service;
  await db.query('delete from run_work');
  const projectId = await createTestProject(engine);
  await registerWorkflows(engine, projectId, [{ name: 'flow', tokenThrottle: { tokens, perMs, key: 'key' } }]);
  await db.query('update runner set last_seen_at = $1', ['9999-01-01']);
  const { log, settings } = engine;
  const engines = [engine, createEngine({ db, log, clock, settings })];
  const dispatchers = await Promise.all(engines.map((each) => new ScriptedDispatcher(each, () => steps([])).start()));
  const buckets = [0, 1].map(() => new ModelBucket({ tokens, perMs }, clock.now().getTime()));
  const waiting = new Map<string, number>();
  const executing: { owner: number; key: number; pass: Awaited<ReturnType<ScriptedDispatcher['claim']>>[number] }[] =
    [];

  const claim = async (): Promise<void> => {
    const at = clock.now().getTime();
    for (const each of engines) await wakeDueRuns(each);
    const owner = executing.length % 2;
    const passes = (await dispatchers[owner]?.claim()) ?? [];
    const starting = passes.filter((pass) => waiting.has(pass.runId));
    // A run starts exactly if its bucket allows it.
    const free = [...waiting].filter(([, key]) => !buckets[key]?.isDrained(at)).map(([runId]) => runId);
    expect(starting.map((pass) => pass.runId).sort()).toEqual(free.sort());
    for (const pass of starting) {
      executing.push({ owner, key: waiting.get(pass.runId) ?? 0, pass });
      waiting.delete(pass.runId);
    }
  };

  let asked = 0;
  for (const move of made) {
    const at = clock.now().getTime();
    if (move.kind === 'wait') clock.advance(Math.max(0, (buckets[move.key]?.refillsInMs(at) ?? 0) + move.ms));
    if (move.kind === 'start') {
      const trigger = { projectId, app: 'default', name: 'flow', input: { input: RawJson.of({ key: move.key }) } };
      const made = await Promise.all(
        Array.from({ length: move.count }, (_, index) => triggerWorkflow(engines[index % 2] ?? engine, trigger)),
      );
      for (const { runId = '' } of made) waiting.set(runId, move.key);
    }
    const busy = move.kind === 'spend' ? executing[asked % Math.max(1, executing.length)] : undefined;
    if (move.kind === 'spend' && busy) {
      asked += 1;
      const { owner, key, pass } = busy;
      const request: InvokeRequest = JSON.parse(invokeText(pass));
      const reply = steps([call(`ask ${Object.keys(request.steps).length}`, { tokensIn: move.tokens, tokensOut: 1 })]);
      // A repeated answer comes from a process that does not know about the first one.
      const memo = (await readMemos(db, [pass.runId])).get(pass.runId) ?? new Memo();
      const copy = { ...pass, memo };
      await settlePass(engines[owner] ?? engine, pass, reply);
      if (move.isRepeated) await settlePass(engines[owner] ?? engine, copy, reply);
      buckets[key]?.debit(at, move.tokens + 1);
    }
    await claim();
  }
}

it('starts wait exactly while their bucket is drained, and each call is debited once', async () => {
  await checkProperty('tokenModel', fc.asyncProperty(cases, check), 60);
}, 120_000);
