import type { Queryable } from '../../../src/engine/db/statement.ts';
import { agree } from '../kit/agree.ts';
import type { Coverage } from '../kit/coverage.ts';
import { type EventRow, type RunRow, readEvents, readRuns } from './gateRecords.ts';
import { type GateData, type GateName, gateNames, gates } from './gates.ts';
import { checkSpend } from './spendCheck.ts';

/** The facts about one workflow, after all its runs have ended. */
interface Account {
  sent: readonly GateData[];
  /** Events that started a run at once. */
  started: readonly EventRow[];
  runs: readonly RunRow[];
}

/** By workflow: the reason in an event's record why the event has no run of its own. */
const withheldBy: Record<GateName, string | undefined> = {
  narrow: undefined,
  newest: undefined,
  paced: undefined,
  quiet: 'debounced',
  gather: 'batched',
  alone: 'skipped',
  once: 'deduped',
  shed: 'dropped',
  capped: undefined,
  thrifty: undefined,
  fed: undefined,
};

const policyOf: Record<string, string> = {
  debounced: 'debounce',
  batched: 'batch',
  skipped: 'singleton with skip',
  deduped: 'idempotency',
  dropped: 'rateLimit',
};

/** The maximum time between the begin of a start's transaction and its turn. */
const transactionMs = 1_000;

/** Checks the final rows against the promise of each policy. */
export async function checkGates(
  db: Queryable,
  { sent, coverage }: { sent: ReadonlyMap<GateName, readonly GateData[]>; coverage: Coverage },
): Promise<void> {
  const events = await readEvents(db);
  const runs = await readRuns(db);
  for (const name of gateNames) {
    const own = events.filter((event) => event.name === name);
    const record: Account = {
      sent: sent.get(name) ?? [],
      started: own.filter((event) => outcomeOf(event) === undefined),
      runs: runs.filter(({ workflow }) => workflow === name),
    };
    agree(`events of ${name}`, sorted(own), sorted(record.sent));
    for (const fate of own.map(outcomeOf)) if (fate !== undefined) coverage.count('gate', policyOf[fate] ?? fate);
    if (name !== 'quiet' && name !== 'gather') checkStarted(name, record);
    checkEnds(name, record.runs);
    checks[name]?.(record);
  }
  await checkSpend(db, { runs, coverage });
  countMet(runs, coverage);
}

/**
 * Why an event started no run at once; undefined if it did. Only its workflow's own gate may be the
 * reason.
 */
function outcomeOf({ id, name, triggered }: EventRow): string | undefined {
  const [only, ...others] = triggered;
  if (!only || others.length > 0) throw new Error(`event ${id} of ${name} triggered ${JSON.stringify(triggered)}`);
  const gate = withheldBy[name];
  if (gate !== undefined && only[gate] === true) return gate;
  if (only.runId !== undefined) return undefined;
  throw new Error(`event ${id} of ${name} came to nothing: ${JSON.stringify(only)}`);
}

/** Each run in an event's record exists, and no other run does. */
function checkStarted(name: GateName, { started, runs }: Account): void {
  agree(
    `runs of ${name}`,
    runs.map(({ id, event_id: eventId, n }) => `${id} of ${eventId}, ${n}`).sort(),
    started.map(({ id, n, triggered }) => `${triggered[0]?.runId} of ${id}, ${n}`).sort(),
  );
}

/** Only a displaced run may not succeed, and the run of an event has that event's data. */
function checkEnds(name: GateName, runs: readonly RunRow[]): void {
  for (const { id, n, status, result, error, given } of runs) {
    if (name === 'newest' && status === 'cancelled') continue;
    if (name === 'capped') {
      agree(`run ${id} of ${name}`, { status, error }, { status: 'failed', error: 'BudgetError' });
      continue;
    }
    const expected = name === 'gather' ? given.map((each) => each.n) : n;
    agree(`run ${id} of ${name}`, { status, result: JSON.parse(result) }, { status: 'succeeded', result: expected });
  }
}

const checks: { [Name in GateName]?: (record: Account) => void } = {
  quiet: ({ sent, runs }) => {
    const noted = runs.map(({ n }) => n);
    agree('events that debounced runs were given twice', twice(noted), []);
    const last = new Map(sent.map(({ key, n }) => [key, n]));
    const missing = [...last.values()].filter((n) => !noted.includes(n));
    agree('last events of a key without a run', missing, []);
    const known = new Set(sent.map(({ n }) => n));
    agree(
      'debounced runs of nothing',
      noted.filter((n) => !known.has(n)),
      [],
    );
  },
  gather: ({ sent, runs }) => {
    agree('events that batches hold', sorted(runs.flatMap(({ given }) => given)), sorted(sent));
    const { maxSize } = gates.gather.batch;
    const odd = runs.filter(({ key, given }) => given.length > maxSize || given.some((each) => each.key !== key));
    agree('batches that are too large, or of several keys', odd, []);
  },
  newest: ({ runs }) => {
    for (const [key, own] of byKey(runs)) {
      const ended = own.filter(({ status }) => status === 'succeeded').length;
      if (ended === 0) throw new Error(`all runs of newest ${key} were cancelled, the last one as well`);
    }
  },
  once: ({ sent, runs }) => {
    agree(
      'values that started a run',
      runs.map(({ key }) => key).sort(),
      [...new Set(sent.map(({ key }) => key))].sort(),
    );
  },
  paced: ({ runs }) => {
    const { limit, perMs } = gates.paced.throttle;
    for (const [key, own] of byKey(runs)) {
      const starts = own.flatMap(({ start_ms: startMs }) => startMs ?? []).sort((one, other) => one - other);
      const early = starts.filter((at, place) => at - (starts[place - 1] ?? 0) < perMs / limit - 1);
      agree(`starts of paced ${key} that come too soon after another`, early, []);
    }
    const hasty = runs.filter(({ start_ms: at, started_ms: began }) => at !== null && began !== null && began < at);
    agree('throttled runs that began before their time', hasty, []);
  },
  shed: ({ runs }) => {
    const { limit, perMs } = gates.shed.rateLimit;
    for (const [key, own] of byKey(runs)) {
      const starts = own.map(({ created_ms: at }) => at).sort((one, other) => one - other);
      starts.forEach((from, first) => {
        starts.slice(first).forEach((to, further) => {
          const most = limit + ((to - from + transactionMs) * limit) / perMs;
          if (further + 1 > most) throw new Error(`${further + 1} runs of shed ${key} began within ${to - from} ms`);
        });
      });
    }
  },
};

/** A policy that did nothing has proved nothing. */
function countMet(runs: readonly RunRow[], coverage: Coverage): void {
  for (const { workflow, status, given, start_ms: startMs } of runs) {
    if (workflow === 'gather') coverage.count('batch of', String(given.length));
    if (workflow === 'paced' && startMs !== null) coverage.count('gate', 'throttle');
    if (workflow === 'newest' && status === 'cancelled') coverage.count('gate', 'singleton with cancel');
  }
}

const sorted = (all: readonly GateData[]): GateData[] =>
  all.map(({ n, key }) => ({ n, key })).sort((one, other) => one.n - other.n);

const twice = (all: readonly number[]): number[] => all.filter((n, place) => all.indexOf(n) !== place);

function byKey(runs: readonly RunRow[]): Map<string, RunRow[]> {
  const keys = new Map<string, RunRow[]>();
  for (const run of runs) keys.set(run.key, [...(keys.get(run.key) ?? []), run]);
  return keys;
}
