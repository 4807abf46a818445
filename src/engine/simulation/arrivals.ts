import type { FlowControl } from '@holdfast/sdk/protocol';
import type { EngineContext } from '../context.ts';
import type { Origin } from '../flow/index.ts';
import { lowestIdAt, newId } from '../ids.ts';
import { RawJson } from '../json/index.ts';
import { longRead } from '../longRead.ts';

/** The starts of one simulation. */
export const maxArrivals = 1_000;

/** A start that came, or would have come. */
export interface Arrival {
  /** A key of its own in the simulation. */
  id: string;
  atMs: number;
  origin: Origin;
  /** The fields that policies look up. */
  keyed: RawJson;
  eventId: string | undefined;
  runId: string | undefined;
  /** How long its run held a slot, in ms; undefined if it has not ended. */
  activeMs: number | undefined;
  /** How long its run waited for something beside, in ms. */
  restMs: number | undefined;
}

export interface ArrivalsQuery {
  projectId: string;
  app: string;
  workflow: string;
  since: Date;
  until: Date;
  /** The policies whose keys are looked up. */
  flowControl: FlowControl;
  limit: number;
}

/** The newest starts of a workflow in a time, in order. `isCapped`: there were more. */
export async function readArrivals(
  ctx: EngineContext,
  query: ArrivalsQuery,
): Promise<{ arrivals: Arrival[]; isCapped: boolean }> {
  const paths = keyPathsOf(query.flowControl);
  const events = await readEvents(ctx, query, paths);
  const runs = await readRuns(ctx, query, paths);
  const own = new Set(events.map((event) => event.id));
  const runOf = new Map(
    runs.flatMap((run) => (run.eventId === null || run.origin !== 'start' ? [] : [[run.eventId, run]])),
  );
  const arrivals = [
    ...events.map((event) => arrivalOf(event, paths, { eventId: event.id, run: runOf.get(event.id) })),
    ...runs.flatMap((run) => {
      const isOfEvent = run.isBatch || (run.origin === 'start' && run.eventId !== null && own.has(run.eventId));
      return isOfEvent ? [] : [arrivalOf(run, paths, { eventId: run.eventId ?? undefined, run })];
    }),
  ]
    .filter(({ atMs }) => atMs >= query.since.getTime())
    // Of one instant, the newest were read first.
    .reverse()
    .sort((one, other) => one.atMs - other.atMs);
  const isCapped = Math.max(arrivals.length, events.length, runs.length) > query.limit;
  return { arrivals: arrivals.slice(-query.limit), isCapped };
}

/** The paths of the policies' keys, as segments. */
function keyPathsOf(flowControl: FlowControl): string[][] {
  const keys = Object.values(flowControl).flatMap((policy) => ('key' in policy && policy.key ? [policy.key] : []));
  return [...new Set(keys)].map((key) => key.split('.'));
}

interface Found {
  atMs: number;
  /** JSON text of the value at each path; null: no scalar. */
  keys: (string | null)[];
}

interface FoundRun extends Found {
  id: string;
  eventId: string | null;
  isBatch: boolean;
  origin: Origin;
  activeMs: number | null;
  totalMs: number | null;
}

function arrivalOf(
  { atMs, keys }: Found,
  paths: readonly string[][],
  { eventId, run }: { eventId: string | undefined; run: FoundRun | undefined },
): Arrival {
  const { totalMs, activeMs } = run ?? {};
  const isKnown = totalMs !== null && totalMs !== undefined && activeMs !== null && activeMs !== undefined;
  return {
    id: newId(),
    atMs,
    origin: run?.origin ?? 'start',
    keyed: payloadOf(paths, keys),
    eventId,
    runId: run?.id,
    activeMs: isKnown ? Math.min(activeMs, totalMs) : undefined,
    restMs: isKnown ? Math.max(0, totalMs - activeMs) : undefined,
  };
}

/** A payload that has the values at the paths, and nothing else. */
function payloadOf(paths: readonly string[][], keys: readonly (string | null)[]): RawJson {
  const parts = paths.flatMap((path, at) => {
    const value = keys[at];
    return value === null || value === undefined ? [] : [{ path, value }];
  });
  return RawJson.trusted(nested(parts));
}

interface Part {
  path: readonly string[];
  value: string;
}

/** A path that ends where another goes on has no object below it, so one of them has no value. */
function nested(parts: readonly Part[]): string {
  const fields = new Map<string, Part[]>();
  for (const {
    path: [name = '', ...path],
    value,
  } of parts)
    fields.set(name, [...(fields.get(name) ?? []), { path, value }]);
  const texts = [...fields].map(([name, inner]) => {
    const [leaf] = inner.filter(({ path }) => path.length === 0);
    return `${JSON.stringify(name)}:${leaf ? leaf.value : nested(inner)}`;
  });
  return `{${texts.join(',')}}`;
}

/** Longer values are compared by their digest. */
const maxKeyText = 2_000;

/** SQL: for each path, the text of the scalar at it. `parameter` adds a value. */
function keysSql(column: string, paths: readonly string[][], parameter: (value: unknown) => string): string {
  const texts = paths.map((path) => {
    const value = `${column} #> ${parameter(path)}::text[]`;
    return `case when json_typeof(${value}) in ('string', 'number', 'boolean') then
      case when length((${value})::text) <= ${maxKeyText} then (${value})::text
        else to_json(md5((${value})::text))::text end end`;
  });
  return `array[${texts.join(', ')}]::text[]`;
}

const toMs = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

async function readEvents(
  ctx: EngineContext,
  { projectId, app, workflow, since, until, limit }: ArrivalsQuery,
  paths: readonly string[][],
): Promise<(Found & { id: string })[]> {
  const values: unknown[] = [];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const text = `
    select id, ${toMs('received_at')} as at_ms, ${keysSql('data', paths, parameter)} as keys
    from event
    where project_id = ${parameter(projectId)}::uuid
      and id >= ${parameter(lowestIdAt(since))}::uuid and id < ${parameter(lowestIdAt(until))}::uuid
      and triggered::jsonb @> ${parameter(JSON.stringify([{ app, workflow }]))}::jsonb
    order by id desc limit ${parameter(limit + 1)}`;
  return longRead(ctx, { text, values });
}

/** The start of a fork, a child and a follow-on run passes fewer gates. */
const originSql = `case when replay_of is not null then 'fork' when on_failure_of is not null then 'followOn'
    when parent_run_id is not null then 'call' else 'start' end`;

async function readRuns(
  ctx: EngineContext,
  { projectId, app, workflow, since, until, limit }: ArrivalsQuery,
  paths: readonly string[][],
): Promise<FoundRun[]> {
  const values: unknown[] = [];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const text = `
    select r.id, r.event_id, r.is_batch, r.origin, r.keys, ${toMs('r.at')} as at_ms,
      ${toMs('r.ended_at')} - ${toMs('r.started_at')} as total_ms,
      coalesce(steps.executed_ms, ${toMs('r.ended_at')} - ${toMs('r.started_at')} - coalesce(steps.waited_ms, 0)) as active_ms
    from (
      select id, event_id, events is not null as is_batch, ${originSql} as origin, started_at, ended_at, created_at,
        case when ${originSql} = 'start' then coalesce(event_at, created_at) else created_at end as at, ${keysSql('input', paths, parameter)} as keys
      from run
      where project_id = ${parameter(projectId)}::uuid and workflow = ${parameter(workflow)} and app = ${parameter(app)}
        and created_at >= ${parameter(since)} and created_at < ${parameter(until)}
      order by created_at desc, id desc limit ${parameter(limit + 1)}
    ) r
    left join lateral (
      select sum(${toMs('ended_at')} - ${toMs('started_at')}) filter (where op = 'StepRun') as executed_ms,
        sum(${toMs('ended_at')} - ${toMs('started_at')}) filter (where op <> 'StepRun') as waited_ms
      from run_step s where s.run_id = r.id and s.ended_at is not null
    ) steps on true`;
  return longRead(ctx, { text, values });
}
