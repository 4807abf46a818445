import { instant, int, rowset, statement, text, uuid } from '../../db/index.ts';
import { movedToKeySql } from './keySql.ts';
import { openSendsSql } from './openSendsSql.ts';

/** A send that was under way when its process was found dead. */
export interface LostSendRow {
  runId: string;
  stepIndex: number;
  attempt: number;
  send: number;
  projectId: string;
  app: string;
  workflow: string;
  provider: string;
  model: string;
}

/**
 * Frees all calls of processes, which the transaction has locked. A call whose send was under way
 * counts a failure, so that a call that kills its processes ends, too. `claim_no` stays: until the
 * next claim, the answer of the former process is still taken.
 *
 * Rows that another transaction has locked are skipped: that transaction waits for nobody here, and
 * the next look finds what is left.
 */
export const freeProcessCalls = statement<{ runId: string }>('freeProcessCalls').writes({
  params: { now: instant, processIds: uuid.list },
  text: `
    with held as (
      select ctid from inference_call
      where lease_id is not null and lease_id = any($processIds)
      order by key_id, lane_id, project_id
      for update skip locked
    )
    update inference_call c
    set lease_id = null, failures = c.failures + ${openSendsSql('c')}, due_at = least(c.due_at, $now), ${movedToKeySql('c')}
    where c.ctid = any(array(select ctid from held))
    returning c.run_id
  `,
});

/** Ends the sends of processes, except those whose call could not be freed yet. */
export const endLostSends = statement<LostSendRow>('endLostSends').writes({
  params: { now: instant, processIds: uuid.list, error: text },
  text: `
    with lost as (
      select ctid from inference_send s
      where s.outcome is null and s.process_id = any($processIds) and not exists (
        select from inference_call c
        where c.run_id = s.run_id and c.step_index = s.step_index and c.attempt = s.attempt and c.lease_id = s.process_id)
      order by s.process_id
      for update skip locked
    )
    update inference_send s
    set outcome = 'unknown', ended_at = $now, error = $error
    from run r
    where s.ctid = any(array(select ctid from lost)) and r.id = s.run_id
    returning s.run_id, s.step_index, s.attempt, s.number as send, s.project_id, r.app, r.workflow, s.provider, s.model
  `,
});

/**
 * Ends the sends under way of calls that their process frees. They are refused if the process knows
 * that the request did not leave.
 */
export const endSendsOf = statement<LostSendRow>('endSendsOf').writes({
  params: {
    now: instant,
    processId: uuid,
    outcome: text.narrow<'refused' | 'unknown'>(),
    error: text,
    calls: rowset({ runId: uuid, stepIndex: int }),
  },
  text: `
    update inference_send s
    set outcome = $outcome, ended_at = $now, error = $error
    from $calls as k
    join run r on r.id = k.run_id
    where s.run_id = k.run_id and s.step_index = k.step_index and s.process_id = $processId and s.outcome is null
    returning s.run_id, s.step_index, s.attempt, s.number as send, s.project_id, r.app, r.workflow, s.provider, s.model
  `,
});

/** Deletes processes that own nothing any more. The transaction has locked them. */
export const deleteProcesses = statement<{ id: string }>('deleteProcesses').writes({
  params: { processIds: uuid.list },
  text: `
    delete from inference_process p
    where p.id = any($processIds)
      and not exists (select from inference_call c where c.lease_id is not null and c.lease_id = p.id)
      and not exists (select from inference_send s where s.outcome is null and s.process_id = p.id)
    returning p.id
  `,
});
