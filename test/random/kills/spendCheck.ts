import type { Queryable } from '../../../src/engine/db/statement.ts';
import { agree } from '../kit/agree.ts';
import type { Coverage } from '../kit/coverage.ts';
import type { RunRow } from './gateRecords.ts';
import { calls, gates } from './gates.ts';

interface UsageRow {
  run_id: string;
  tokens: number;
  at_ms: number;
}

/** A spend that was committed this long before a run's start must be known to the start. */
const transactionMs = 1_000;

/** Checks the final rows against the promises of the spend policies (I12). */
export async function checkSpend(
  db: Queryable,
  { runs, coverage }: { runs: readonly RunRow[]; coverage: Coverage },
): Promise<void> {
  const usage = new Map<string, UsageRow[]>();
  for (const row of await readUsage(db)) usage.set(row.run_id, [...(usage.get(row.run_id) ?? []), row]);
  // A step that was executed twice counts once.
  for (const [workflow, expected] of Object.entries(calls)) {
    for (const { id } of runs.filter((run) => run.workflow === workflow)) {
      const tokens = (usage.get(id) ?? []).map((row) => row.tokens);
      agree(`what counts of the calls of run ${id} of ${workflow}`, tokens, expected);
      if (workflow === 'capped') coverage.count('gate', 'cap');
    }
  }
  const fed = runs.filter(({ workflow }) => workflow === 'fed');
  for (const key of new Set(fed.map((run) => run.key))) {
    const own = fed.filter((run) => run.key === key);
    const spent = own.flatMap(({ id }) => usage.get(id) ?? []).sort((one, other) => one.at_ms - other.at_ms);
    for (const run of own) checkFed(run, spent, coverage);
  }
}

/** A run does not start while its bucket is empty, nor later than the spend explains. */
function checkFed(run: RunRow, spent: readonly UsageRow[], coverage: Coverage): void {
  const { id, created_ms: createdMs, start_ms: startMs, started_ms: startedMs } = run;
  const turn = startMs ?? createdMs;
  const emptyUntil = emptyAfter(spent.filter(({ at_ms: at }) => at < turn - transactionMs));
  if (startedMs !== null && startedMs < emptyUntil) {
    throw new Error(`run ${id} of fed began ${emptyUntil - startedMs} ms before there was a token`);
  }
  if (startMs === null) return;
  coverage.count('gate', 'tokenThrottle');
  if (startedMs !== null && startedMs < startMs) throw new Error(`run ${id} of fed began before its time`);
  const late = startMs - emptyAfter(spent.filter(({ at_ms: at }) => at < startMs)) - transactionMs;
  if (late > 0) throw new Error(`run ${id} of fed was put off ${late} ms beyond what was spent`);
}

/** The time until which a bucket with this spend is empty. */
function emptyAfter(spent: readonly UsageRow[]): number {
  const { tokens, perMs } = gates.fed.tokenThrottle;
  const full = spent.reduce((at, each) => Math.max(at, each.at_ms) + (each.tokens * perMs) / tokens, 0);
  return full - perMs;
}

async function readUsage(db: Queryable): Promise<UsageRow[]> {
  const { rows } = await db.query<UsageRow>({
    name: 'usageOfGates',
    text: `
      select run_id, (coalesce(tokens_in, 0) + coalesce(tokens_out, 0))::float8 as tokens,
        (extract(epoch from created_at) * 1000)::float8 as at_ms
      from ai_usage where workflow = any($1) order by run_id, step_index, attempt`,
    values: [Object.keys(calls)],
  });
  return rows;
}
