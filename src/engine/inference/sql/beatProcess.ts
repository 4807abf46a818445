import { bool, float8, instant, statement, uuid } from '../../db/index.ts';
import { hasOthersSql } from './processSql.ts';

interface Row {
  /** Whether the process is registered, so others have not found it dead. */
  isAlive: boolean;
  /** The instant of this beat. */
  now: Date;
  /** Whether another process is silent. */
  hasSilent: boolean;
  /** Whether another process has calls or sends. */
  hasOthers: boolean;
}

/**
 * Renews the heartbeat of a process if it has calls, and looks for silent ones. A heartbeat more
 * than a minute ahead dates from before the clock went back, and counts as of now.
 */
export const beatProcess = statement<Row>('beatProcess').writes({
  params: { now: instant, processId: uuid, beats: bool, silenceMs: float8 },
  text: `
    with ahead as (
      select id from inference_process
      where heartbeat_at > $now + interval '1 minute' and id <> $processId
      for update skip locked
    ),
    brought_back as (
      update inference_process p set heartbeat_at = $now from ahead where p.id = ahead.id
    ),
    beat as (
      update inference_process set heartbeat_at = $now where id = $processId and $beats
    )
    select
      exists (select from inference_process where id = $processId) as is_alive,
      $now as now,
      exists (
        select from inference_process where id <> $processId and heartbeat_at < $now - $silenceMs * interval '1 ms'
      ) as has_silent,
      ${hasOthersSql('$processId')} as has_others
  `,
});
