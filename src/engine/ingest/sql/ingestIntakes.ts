import { statement } from '../../db/index.ts';
import { hasGated } from '../../flow/index.ts';
import type { DedupeKey, Intake, NewEvent, NewRun } from '../newRun.ts';
import { orHolder } from './keyConflict.ts';

interface Params {
  intakes: readonly Intake[];
  dedupeWindowMs: number;
  now: Date | null;
}

export type IngestedRow = {
  ord: number;
  gated_slots: string[];
  /** Of what it created, as its rows keep it. */
  created_at: Date;
} & (
  | { outcome: 'created' | 'stale' }
  /** `ref_id`: what holds the key. */
  | { outcome: 'deduped'; ref_id: string }
);

/**
 * Records a batch of intakes: events, runs, their queue rows and first frames, in one round trip and one commit.
 *
 * - `fresh` holds what was decided on the current `registry_version`: a suspension or a re-registration that
 *   committed before this statement began always wins.
 * - `claimed` takes dedupe keys, and says who holds them now. Of equal keys in one batch the first counts (`distinct on`),
 *   since a row cannot be upserted twice in a statement; keys are taken in order, so that two batches do not deadlock
 *   (`orHolder`).
 * - What lost its key is neither an event nor a run.
 */
export const ingestIntakes = statement<Params, IngestedRow>({
  name: 'ingestIntakes',
  writes: true,
  text: `
    with intake as (
      select ord, project_id, registry_version, dedupe_scope, dedupe_key, ref_id
      from unnest($1::int[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::uuid[])
        as i(ord, project_id, registry_version, dedupe_scope, dedupe_key, ref_id)
    ),
    fresh as (
      select i.* from intake i
      join project p on p.id = i.project_id and p.registry_version = i.registry_version
    ),
    keys as (
      select distinct on (project_id, dedupe_scope, dedupe_key) project_id, dedupe_scope, dedupe_key, ref_id
      from fresh where dedupe_key is not null
      order by project_id, dedupe_scope, dedupe_key, ord
    ),
    claimed as (
      insert into dedupe_key as d (project_id, scope, key, ref_id, expires_at)
      select project_id, dedupe_scope, dedupe_key, ref_id, coalesce($7::timestamptz, now()) + $8::float8 * interval '1 ms'
      from keys order by project_id, dedupe_scope, dedupe_key${orHolder('$7')}
    ),
    accepted as (
      select f.ord from fresh f
      where f.dedupe_key is null or f.ref_id in (select ref_id from claimed)
    ),
    recorded as (
      insert into event (id, project_id, app, name, data, tags, session, dedupe_id, target_app, runner, source,
        source_run_id, received_at, triggered, woke_runs, suspended)
      select e.id, e.project_id, e.app, e.name, e.data, e.tags, e.session, e.dedupe_id, e.target_app, e.runner, e.source,
        e.source_run_id, coalesce($7::timestamptz, now()), e.triggered, '{}', e.suspended
      from unnest($9::int[], $10::uuid[], $11::uuid[], $12::text[], $13::text[], $14::json[], $15::jsonb[], $16::text[],
        $17::text[], $18::text[], $19::text[], $20::text[], $21::uuid[], $22::json[], $23::bool[])
        as e(ord, id, project_id, app, name, data, tags, session, dedupe_id, target_app, runner, source, source_run_id,
          triggered, suspended)
      where e.ord in (select ord from accepted)
      returning id, project_id
    ),
    pending as (
      insert into event_pending (event_id, project_id, created_at)
      select id, project_id, coalesce($7::timestamptz, now()) from recorded
    ),
    start as (
      select r.*,
        case
          when r.start_at > coalesce($7::timestamptz, now()) then 'parked'
          when r.slot is not null and ${hasGated('r.slot')} then 'gated'
          else 'ready'
        end as state
      from unnest($24::int[], $25::uuid[], $26::uuid[], $27::text[], $28::text[], $29::text[], $30::int[],
        $31::text[], $32::text[], $33::uuid[], $34::text[], $35::text[], $36::int[], $37::jsonb[], $38::json[],
        $39::uuid[], $40::text[], $41::int[], $42::uuid[], $43::bigint[], $44::text[], $45::float8[], $46::text[],
        $47::bigint[], $48::timestamptz[], $49::json[], $50::timestamptz[])
        as r(ord, id, project_id, app, workflow, version, lane_id, trigger_kind, event_name, event_id, session, runner,
          depth, tags, input, parent_run_id, parent_step, parent_attempt, on_failure_of, slot, slot_key, shift_ms,
          token_key, singleton, start_at, events, event_at)
      where r.ord in (select ord from accepted)
    ),
    gated as materialized (select distinct ord, slot::text as slot from start where state = 'gated'),
    run_made as (
      insert into run (id, project_id, app, workflow, version, status, trigger_kind, event_name, event_id, session,
        runner, depth, tags, input, events, parent_run_id, parent_step, parent_attempt, on_failure_of, created_at, event_at,
        start_at)
      select id, project_id, app, workflow, version, 'queued', trigger_kind, event_name, event_id, session,
        runner, depth, tags, input, events, parent_run_id, parent_step, parent_attempt, on_failure_of,
        coalesce($7::timestamptz, now()), event_at, case when state = 'parked' then start_at end
      from start
    ),
    work_made as (
      insert into run_work (run_id, project_id, lane_id, state, due_at, position, seq, slot, slot_key, gate, token_key,
        singleton)
      select id, project_id, lane_id, state, case when state = 'parked' then start_at end,
        (extract(epoch from greatest(start_at, coalesce($7::timestamptz, clock_timestamp()))) * 1000000
          - shift_ms * 1000)::bigint,
        1, slot, slot_key, case when state = 'gated' then 'slot' end, token_key, singleton
      from start
    ),
    frame_made as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select id, 1, 'run_status', coalesce($7::timestamptz, now()), '{"status":"queued"}' from start
    )
    select i.ord,
      case
        when i.ord in (select ord from accepted) then 'created'
        when i.ord in (select ord from fresh) then 'deduped'
        else 'stale'
      end as outcome,
      case when i.ord not in (select ord from accepted) then
        (select c.ref_id from claimed c
         where c.project_id = i.project_id and c.scope = i.dedupe_scope and c.key = i.dedupe_key)
      end as ref_id,
      array(select g.slot from gated g where g.ord = i.ord) as gated_slots,
      coalesce($7::timestamptz, now())::timestamptz(3) as created_at
    from intake i
  `,
  values: ({ intakes, dedupeWindowMs, now }) => {
    const keyed = intakes.map(dedupeOf);
    const events = intakes.flatMap((each, ord) => (each.event ? [{ ord, event: each.event }] : []));
    const runs = intakes.flatMap((each, ord) => each.runs.map((run) => ({ ord, run })));
    return [
      intakes.map((_, ord) => ord),
      intakes.map((each) => each.projectId),
      intakes.map((each) => each.registryVersion.toString()),
      keyed.map((each) => each?.scope ?? null),
      keyed.map((each) => each?.key ?? null),
      intakes.map((each) => each.event?.eventId ?? each.runs[0]?.runId ?? null),
      now,
      dedupeWindowMs,
      events.map((each) => each.ord),
      ...eventColumns(events.map((each) => each.event)),
      runs.map((each) => each.ord),
      ...runColumns(runs.map((each) => each.run)),
    ];
  },
});

/** The key that this statement has to claim. */
function dedupeOf(intake: Intake): DedupeKey | undefined {
  return intake.isClaimed ? undefined : keyOfIntake(intake);
}

/** The key whose repeat makes the whole intake void; undefined where there is none. */
export function keyOfIntake({ event, runs }: Intake): DedupeKey | undefined {
  if (event) return event.dedupeId === undefined ? undefined : { scope: `event:${event.app}`, key: event.dedupeId };
  return runs[0]?.dedupe;
}

function eventColumns(events: readonly NewEvent[]): unknown[][] {
  return [
    events.map((each) => each.eventId),
    events.map((each) => each.projectId),
    events.map((each) => each.app),
    events.map((each) => each.name),
    events.map((each) => each.data?.text ?? null),
    events.map((each) => each.tags ?? null),
    events.map((each) => each.session ?? null),
    events.map((each) => each.dedupeId ?? null),
    events.map((each) => each.targetApp ?? null),
    events.map((each) => each.runner ?? null),
    events.map((each) => each.source),
    events.map((each) => each.sourceRunId ?? null),
    events.map((each) => JSON.stringify(each.triggered)),
    events.map((each) => each.suspended),
  ];
}

function runColumns(runs: readonly NewRun[]): unknown[][] {
  return [
    runs.map((each) => each.runId),
    runs.map((each) => each.projectId),
    runs.map((each) => each.app),
    runs.map((each) => each.workflow),
    runs.map((each) => each.version),
    runs.map((each) => each.laneId),
    runs.map((each) => each.triggerKind),
    runs.map((each) => each.eventName ?? null),
    runs.map((each) => each.eventId ?? null),
    runs.map((each) => each.session ?? null),
    runs.map((each) => each.runner ?? null),
    runs.map((each) => each.depth),
    runs.map((each) => each.tags ?? null),
    runs.map((each) => each.input.text),
    runs.map((each) => each.parent?.runId ?? null),
    runs.map((each) => each.parent?.step ?? null),
    runs.map((each) => each.parent?.attempt ?? null),
    runs.map((each) => each.onFailureOf ?? null),
    runs.map((each) => each.slot ?? null),
    runs.map((each) => each.slotScope ?? null),
    runs.map((each) => each.shiftMs),
    runs.map((each) => each.tokenScope ?? null),
    runs.map((each) => each.place ?? null),
    runs.map((each) => each.startAt ?? null),
    runs.map((each) => each.events?.text ?? null),
    runs.map((each) => each.receivedAt ?? null),
  ];
}
