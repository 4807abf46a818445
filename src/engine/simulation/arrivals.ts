import type { FlowControl } from '@holdfast/sdk/protocol';
import type { EngineContext } from '../context.ts';
import type { Origin } from '../flow/index.ts';
import { lowestIdAt, newId } from '../ids.ts';
import { RawJson } from '../json/index.ts';
import { longRead } from '../longRead.ts';

/** The starts of one simulation, unless the caller says how many, and at most. */
export const usualArrivals = 500;
export const maxArrivals = 1_000;

/**
 * The scopes of one simulation. It holds two locks for each until its end, and PostgreSQL has room
 * for some thousands, of all its clients.
 */
const maxScopes = 200;

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
  const runById = new Map(runs.map((run) => [run.id, run]));
  const own = new Set(events.map((event) => event.id));
  const found = [
    ...events.map((event) => arrivalOf(event, paths, { eventId: event.id, run: runById.get(event.runId ?? '') })),
    ...runs.flatMap((run) => {
      const isOfEvent = run.isBatch || (run.origin === 'start' && run.eventId !== null && own.has(run.eventId));
      return isOfEvent ? [] : [arrivalOf(run, paths, { eventId: run.eventId ?? undefined, run })];
    }),
  ];
  const inTime = found
    .filter(({ atMs }) => atMs >= query.since.getTime())
    // Of one instant, the newest were read first.
    .reverse()
    .sort((one, other) => one.atMs - other.atMs);
  const arrivals = newest(inTime, query);
  const isCut = Math.max(events.length, runs.length) > query.limit;
  return { arrivals, isCapped: isCut || arrivals.length < inTime.length };
}

/** The newest starts, as many as are allowed, and of as many scopes. */
function newest(all: readonly Arrival[], { flowControl, limit }: ArrivalsQuery): Arrival[] {
  const { concurrency, singleton } = flowControl;
  const locks = concurrency || singleton;
  const scopes = new Set<string>();
  let first = all.length;
  while (first > 0 && all.length - first < limit) {
    if (locks) scopes.add(all[first - 1]?.keyed.text ?? '');
    if (scopes.size > maxScopes) break;
    first -= 1;
  }
  return all.slice(first);
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

interface FoundEvent extends Found {
  id: string;
  /** The run that it started, or that has it in its batch. */
  runId: string | null;
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
    atMs: Math.round(atMs),
    origin: run?.origin ?? 'start',
    keyed: payloadOf(paths, keys),
    eventId,
    runId: run?.id,
    activeMs: isKnown ? Math.round(activeMs) : undefined,
    restMs: isKnown ? Math.round(totalMs - activeMs) : undefined,
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

/** PostgreSQL takes such a segment for a place in an array. A key never looks into arrays. */
const isIndex = /^-?\d+$/;

/** Longer values are compared by their digest. */
const maxKeyText = 2_000;

/** SQL: for each path, the text of the scalar at it. `parameter` adds a value. */
function keysSql(column: string, paths: readonly string[][], parameter: (value: unknown) => string): string {
  const texts = paths.map((path) => {
    const value = `${column} #> ${parameter(path)}::text[]`;
    const isOfObjects = path.flatMap((segment, at) =>
      isIndex.test(segment) ? `and json_typeof(${column} #> ${parameter(path.slice(0, at))}::text[]) = 'object'` : [],
    );
    return `case when json_typeof(${value}) in ('string', 'number', 'boolean') ${isOfObjects.join(' ')} then
      case when length((${value})::text) <= ${maxKeyText} then (${value})::text
        else to_json(md5((${value})::text))::text end end`;
  });
  return `array[${texts.join(', ')}]::text[]`;
}

const toMs = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

/** How far the clock of a process, which makes ids, may be from that of the database. */
const clockErrorMs = 60_000;

const moved = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

async function readEvents(
  ctx: EngineContext,
  { projectId, app, workflow, since, until, limit }: ArrivalsQuery,
  paths: readonly string[][],
): Promise<FoundEvent[]> {
  const values: unknown[] = [];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const [ofApp, ofWorkflow] = [parameter(app), parameter(workflow)];
  const text = `
    select id, ${toMs('received_at')} as at_ms, ${keysSql('data', paths, parameter)} as keys, (
        select entry ->> 'runId' from json_array_elements(triggered) entry
        where entry ->> 'app' = ${ofApp} and entry ->> 'workflow' = ${ofWorkflow} limit 1
      ) as run_id
    from event
    where project_id = ${parameter(projectId)}::uuid
      and id >= ${parameter(lowestIdAt(moved(since, -clockErrorMs)))}::uuid
      and id < ${parameter(lowestIdAt(moved(until, clockErrorMs)))}::uuid
      and received_at >= ${parameter(since)} and received_at < ${parameter(until)}
      and triggered::jsonb @> ${parameter(JSON.stringify([{ app, workflow }]))}::jsonb
    order by id desc limit ${parameter(limit + 1)}`;
  return longRead(ctx, { text, values });
}

/** The start of a fork, a child and a follow-on run passes fewer gates. */
const originSql = `case when replay_of is not null then 'fork' when on_failure_of is not null then 'followOn'
    when parent_run_id is not null then 'call' else 'start' end`;

/** SQL: when a run waits at a step: for what the step waits for, or for the next attempt. */
const waitSql = `case when op = 'StepRun' then tstzrange(s.ended_at, greatest(s.ended_at, s.run_after))
          else tstzrange(s.started_at, greatest(s.started_at, s.ended_at)) end`;

async function readRuns(
  ctx: EngineContext,
  { projectId, app, workflow, since, until, limit }: ArrivalsQuery,
  paths: readonly string[][],
): Promise<FoundRun[]> {
  const values: unknown[] = [];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const text = `
    select r.id, r.event_id, r.is_batch, r.origin, r.keys, ${toMs('r.at')} as at_ms, r.total_ms,
      greatest(0, r.total_ms - coalesce(waits.ms, 0)) as active_ms
    from (
      select id, event_id, events is not null as is_batch, ${originSql} as origin, created_at, started_at, ended_at,
        case when status in ('succeeded', 'failed') and started_at is not null then greatest(0, ${toMs('ended_at')} - ${toMs('started_at')}) end as total_ms,
        case when ${originSql} = 'start' then coalesce(event_at, created_at) else created_at end as at,
        ${keysSql('input', paths, parameter)} as keys
      from run
      where project_id = ${parameter(projectId)}::uuid and workflow = ${parameter(workflow)} and app = ${parameter(app)}
        and created_at >= ${parameter(since)} and created_at < ${parameter(until)}
      order by created_at desc, id desc limit ${parameter(limit + 1)}
    ) r
    left join lateral (
      select sum(${toMs('upper(wait)')} - ${toMs('lower(wait)')}) as ms
      from unnest((
        select range_agg(${waitSql} * tstzrange(r.started_at, greatest(r.started_at, r.ended_at)))
        from run_step s where s.run_id = r.id and r.total_ms is not null and (op <> 'StepRun' or run_after > ended_at)
      )) wait
    ) waits on true
    order by r.created_at desc, r.id desc`;
  return longRead(ctx, { text, values });
}
