import { bool, instant, int, statement, text, uuid } from '../../db/index.ts';
import { keyIdSql, ownerSql } from './keySql.ts';

/**
 * Locks a run that is leased under this claim, and then the keys of the calls that its answer
 * makes. A key that another transaction has locked is left out, so no answer waits for one. Also
 * registers the process that is to send the calls, or renews its heartbeat.
 *
 * The next statement counts the leases of the locked keys without a rival. It knows them by `xmax`.
 */
export const lockSeats = statement<{ id: string }>('lockSeats').writes({
  params: {
    now: instant,
    projectId: uuid,
    runId: uuid,
    dispatcherId: uuid,
    runClaimNo: int,
    processId: uuid.orNull,
    registers: bool,
    /** Of the calls that have a seat. */
    providers: text.list,
  },
  text: `
    with run as materialized (
      select run_id from run_work
      where run_id = $runId and lease_id = $dispatcherId and claim_no = $runClaimNo and state = 'leased'
      for update
    ),
    registered as (
      insert into inference_process (id, heartbeat_at) select $processId, $now from run where $registers
      on conflict (id) do update set heartbeat_at = excluded.heartbeat_at
    )
    select k.id from inference_key k
    where (select count(*) from run) > 0 and k.id = any(array(
      select ${keyIdSql(ownerSql('$projectId', 'p.provider'), 'p.provider')} from unnest($providers) as p (provider)))
    order by k.id
    for no key update skip locked
  `,
});
