import { bigint, instant, rowset, statement, text, uuid } from '../../db/index.ts';
import { waitingForSql, waitingPayloadSql } from '../../timeline/index.ts';

export interface Gating {
  runId: string;
  gate: 'slot' | 'ceiling';
  slot: string | undefined;
}

interface Row {
  runId: string;
  projectId: string;
  app: string;
  workflow: string;
}

/**
 * Gates ready runs until they have a slot. Their queue positions stay. The caller has locked them.
 * Answers the runs that become `queued` again, because they were released while running.
 */
export const gateRuns = statement<Row>('gateRuns').writes({
  params: {
    now: instant,
    gatings: rowset({ runId: uuid, gate: text, slot: bigint.orNull }),
  },
  text: `
    with shown as (
      update run r set status = 'queued'
      where r.id = any($gatings.runId) and r.status = 'running'
        and exists (select from run_work w where w.run_id = r.id and w.state = 'ready' offset 0)
      returning r.id, r.project_id, r.app, r.workflow
    ),
    work as (
      update run_work w set
        state = 'gated', gate = g.gate, slot = coalesce(w.slot, g.slot),
        slot_key = case when w.slot is null and g.slot is not null then '' else w.slot_key end,
        seq = w.seq + (case when w.run_id in (select id from shown) then 1 else 0 end)
      from $gatings as g
      where w.run_id = g.run_id and w.state = 'ready'
      returning w.run_id, w.seq
    ),
    framed as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select run_id, seq, 'run_status', $clock, ${waitingPayloadSql("'queued'", waitingForSql('slot'))}
      from work where run_id in (select id from shown)
    )
    select id as run_id, project_id, app, workflow from shown
  `,
});
