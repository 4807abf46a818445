import { statement } from '../../db/statement.ts';
import { hasGated } from '../../flow/index.ts';
import type { Intake, NewRun } from '../newRun.ts';

export interface StartedRow {
  ord: number;
  /** The slot of a run that waits behind others; null where it does not. */
  gated_slot: string | null;
}

export interface PlainStart {
  registryVersion: bigint;
  run: NewRun;
}

/** The start in an intake that is nothing but one: no event, no key whose repeat would void it. */
export function plainStart({ event, runs, registryVersion }: Intake): PlainStart | undefined {
  const [run, ...others] = runs;
  if (event || !run || others.length > 0 || run.dedupe || run.parent || run.onFailureOf !== undefined) return undefined;
  if (run.gates || run.place !== undefined || run.startAt) return undefined;
  return { registryVersion, run };
}

/**
 * What `ingestIntakes` does, for plain starts only, with half of its nodes. Answers the places of those that were decided
 * on the current registry; the others wrote nothing.
 */
export const ingestStarts = statement<{ starts: readonly PlainStart[]; now: Date | null }, StartedRow>({
  name: 'ingestStarts',
  writes: true,
  text: `
    with fresh as materialized (
      select s.*, s.slot is not null and ${hasGated('s.slot')} as gated
      from unnest($2::int[], $3::bigint[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::int[],
        $10::text[], $11::text[], $12::uuid[], $13::text[], $14::text[], $15::int[], $16::jsonb[], $17::json[],
        $18::bigint[], $19::text[], $20::float8[], $21::text[])
        as s(ord, registry_version, id, project_id, app, workflow, version, lane_id, trigger_kind, event_name, event_id,
          session, runner, depth, tags, input, slot, slot_key, shift_ms, token_key)
      join project p on p.id = s.project_id and p.registry_version = s.registry_version
    ),
    run_made as (
      insert into run (id, project_id, app, workflow, version, status, trigger_kind, event_name, event_id, session, runner,
        depth, tags, input, created_at)
      select id, project_id, app, workflow, version, 'queued', trigger_kind, event_name, event_id, session, runner, depth,
        tags, input, coalesce($1::timestamptz, now())
      from fresh
    ),
    work_made as (
      insert into run_work (run_id, project_id, lane_id, state, position, seq, slot, slot_key, gate, token_key)
      select id, project_id, lane_id, case when gated then 'gated' else 'ready' end,
        (extract(epoch from coalesce($1::timestamptz, clock_timestamp())) * 1000000 - shift_ms * 1000)::bigint, 1,
        slot, slot_key, case when gated then 'slot' end, token_key
      from fresh
    ),
    frame_made as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select id, 1, 'run_status', coalesce($1::timestamptz, now()), '{"status":"queued"}' from fresh
    )
    select ord, case when gated then slot::text end as gated_slot from fresh
  `,
  values: ({ starts, now }) => {
    const column = <T>(of: (run: NewRun) => T): T[] => starts.map(({ run }) => of(run));
    return [
      now,
      starts.map((_, ord) => ord),
      starts.map((each) => each.registryVersion.toString()),
      column((run) => run.runId),
      column((run) => run.projectId),
      column((run) => run.app),
      column((run) => run.workflow),
      column((run) => run.version),
      column((run) => run.laneId),
      column((run) => run.triggerKind),
      column((run) => run.eventName ?? null),
      column((run) => run.eventId ?? null),
      column((run) => run.session ?? null),
      column((run) => run.runner ?? null),
      column((run) => run.depth),
      column((run) => run.tags ?? null),
      column((run) => run.input.text),
      column((run) => run.slot ?? null),
      column((run) => run.slotScope ?? null),
      column((run) => run.shiftMs),
      column((run) => run.tokenScope ?? null),
    ];
  },
});
