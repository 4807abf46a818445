import {
  bigint,
  bool,
  float8,
  instant,
  int,
  json,
  jsonb,
  ordinal,
  rowset,
  statement,
  text,
  timestamptz,
  uuid,
} from '../../db/index.ts';
import { type DedupeKey, orHolder } from '../../flow/index.ts';
import { hasGated } from '../../flow/policies/concurrency/index.ts';
import { statusPayloadSql } from '../../timeline/index.ts';
import { queuePosition } from '../../work/index.ts';
import type { Intake, NewEvent } from '../newRun.ts';
import { type OfRun, runColumns, startedColumns } from './runColumns.ts';

interface Intakes {
  intakes: readonly Intake[];
}

interface OfEvent {
  event: NewEvent;
}

export type IngestedRow = {
  ord: number;
  gatedSlots: string[];
  /** The creation time of the new rows. */
  createdAt: Date;
} & (
  | { outcome: 'created' | 'stale' }
  /** `refId` holds the key. */
  | { outcome: 'deduped'; refId: string }
);

/**
 * Records a batch of intakes in one round trip and one commit: events, runs, queue rows and first
 * frames.
 *
 * - `fresh` has the intakes decided on the current `registry_version`. So a suspension or
 *   registration that committed first always wins.
 * - `claimed` claims dedupe keys, and returns their holders. Only the first of equal keys is
 *   inserted (`distinct on`), because a statement cannot upsert a row twice. Keys are sorted, so
 *   that two batches cannot deadlock (`orHolder`).
 * - An intake that lost its key records neither event nor run.
 */
export const ingestIntakes = statement<IngestedRow>('ingestIntakes').writes({
  params: {
    now: instant,
    dedupeWindowMs: float8,
    intakes: rowset({
      ord: ordinal,
      projectId: uuid,
      registryVersion: bigint,
      dedupeScope: text.orNull.of((intake: Intake) => keyToClaim(intake)?.scope),
      dedupeKey: text.orNull.of((intake: Intake) => keyToClaim(intake)?.key),
      refId: uuid.orNull.of(({ event, runs }: Intake) => event?.eventId ?? runs[0]?.runId),
    }),
    events: rowset({
      ord: int,
      id: uuid.of(({ event }: OfEvent) => event.eventId),
      projectId: uuid.of(({ event }: OfEvent) => event.projectId),
      app: text.of(({ event }: OfEvent) => event.app),
      name: text.of(({ event }: OfEvent) => event.name),
      data: json.orNull.of(({ event }: OfEvent) => event.data?.text),
      tags: jsonb.orNull.of(({ event }: OfEvent) => event.tags),
      envelope: json.orNull.of(({ event }: OfEvent) => event.envelope),
      session: text.orNull.of(({ event }: OfEvent) => event.session),
      dedupeId: text.orNull.of(({ event }: OfEvent) => event.dedupeId),
      targetApp: text.orNull.of(({ event }: OfEvent) => event.targetApp),
      runner: text.orNull.of(({ event }: OfEvent) => event.runner),
      source: text.of(({ event }: OfEvent) => event.source),
      sourceRunId: uuid.orNull.of(({ event }: OfEvent) => event.sourceRunId),
      triggered: json.of(({ event }: OfEvent) => JSON.stringify(event.triggered)),
      suspended: bool.of(({ event }: OfEvent) => event.suspended),
    }).of(({ intakes }: Intakes) => intakes.flatMap(({ event }, ord) => (event ? [{ ord, event }] : []))),
    runs: rowset({
      ord: int,
      ...runColumns,
      dedupeId: text.orNull.of(({ run }: OfRun) => run.dedupeId),
      parentRunId: uuid.orNull.of(({ run }: OfRun) => run.parent?.runId),
      parentStep: text.orNull.of(({ run }: OfRun) => run.parent?.step),
      parentAttempt: int.orNull.of(({ run }: OfRun) => run.parent?.attempt),
      onFailureOf: uuid.orNull.of(({ run }: OfRun) => run.onFailureOf),
      singleton: bigint.orNull.of(({ run }: OfRun) => run.singleton),
      startAt: timestamptz.orNull.of(({ run }: OfRun) => run.startAt),
      notBefore: timestamptz.orNull.of(({ run }: OfRun) => run.notBefore),
      ttlMs: float8.orNull.of(({ run }: OfRun) => run.ttlMs),
      owedTurn: text.orNull.of(({ run }: OfRun) => run.owedTurn),
      events: json.orNull.of(({ run }: OfRun) => run.events?.text),
      envelope: json.orNull.of(({ run }: OfRun) => run.envelope),
      eventAt: timestamptz.orNull.of(({ run }: OfRun) => run.receivedAt),
    }).of(({ intakes }: Intakes) => intakes.flatMap(({ runs }, ord) => runs.map((run) => ({ ord, run })))),
  },
  text: `
    with intake as (
      select ord, project_id, registry_version, dedupe_scope, dedupe_key, ref_id
      from $intakes as i
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
      select project_id, dedupe_scope, dedupe_key, ref_id, $now + $dedupeWindowMs * interval '1 ms'
      from keys order by project_id, dedupe_scope, dedupe_key${orHolder}
    ),
    accepted as (
      select f.ord from fresh f
      where f.dedupe_key is null or f.ref_id in (select ref_id from claimed)
    ),
    recorded as (
      insert into event (id, project_id, app, name, data, tags, envelope, session, dedupe_id, target_app, runner, source,
        source_run_id, received_at, triggered, woke_runs, suspended)
      select e.id, e.project_id, e.app, e.name, e.data, e.tags, e.envelope, e.session, e.dedupe_id, e.target_app, e.runner, e.source,
        e.source_run_id, $now, e.triggered, '{}', e.suspended
      from $events as e
      where e.ord in (select ord from accepted)
      returning id, project_id
    ),
    pending as (
      insert into event_pending (event_id, project_id, created_at)
      select id, project_id, $now from recorded
    ),
    start as (
      select r.*, greatest(r.not_before, $now) + r.ttl_ms * interval '1 ms' as expires_at,
        case
          when r.start_at > $now or r.owed_turn is not null then 'parked'
          when r.slot is not null and ${hasGated('r.slot')} then 'gated'
          else 'ready'
        end as state
      from $runs as r
      where r.ord in (select ord from accepted)
    ),
    gated as materialized (select distinct ord, slot::text as slot from start where state = 'gated'),
    run_made as (
      insert into run (${startedColumns}, dedupe_id, status, events, envelope, parent_run_id, parent_step, parent_attempt, on_failure_of,
        created_at, event_at, start_at, expires_at)
      select ${startedColumns}, dedupe_id, 'queued', events, envelope, parent_run_id, parent_step, parent_attempt, on_failure_of,
        $now, event_at, case when state = 'parked' then start_at end, expires_at
      from start
    ),
    work_made as (
      insert into run_work (run_id, project_id, lane_id, state, due_at, position, seq, slot, slot_key, gate, token_key,
        shift_ms, singleton, ends_at, cancellable, not_before, owed_turn, expires_at)
      select id, project_id, lane_id, state, case when state = 'parked' then start_at end,
        ${queuePosition('greatest(start_at, $clock)', 'shift_ms')},
        1, slot, slot_key, case when state = 'gated' then 'slot' end, token_key,
        nullif(shift_ms, 0), singleton, greatest(start_at, $now) + max_duration_ms * interval '1 ms', cancellable,
        not_before, owed_turn, expires_at
      from start
    ),
    frame_made as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select id, 1, 'run_status', $now, ${statusPayloadSql('queued')} from start
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
      $now::timestamptz(3) as created_at
    from intake i
  `,
});

/** The key that this statement must claim. */
function keyToClaim(intake: Intake): DedupeKey | undefined {
  return intake.isClaimed ? undefined : keyOfIntake(intake);
}

/** The key whose duplicate drops the whole intake; undefined if there is none. */
export function keyOfIntake({ event, runs, key }: Intake): DedupeKey | undefined {
  if (key) return key;
  if (event) return event.dedupeId === undefined ? undefined : { scope: `event:${event.app}`, key: event.dedupeId };
  return runs[0]?.dedupe;
}
