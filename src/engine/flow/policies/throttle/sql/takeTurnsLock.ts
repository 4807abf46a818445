import { statement, uuid } from '../../../../db/index.ts';

/**
 * Lets one scheduler at a time give a project's delayed starts their turns, until the end of the
 * transaction. Two of them would take two turns for each start.
 */
export const takeTurnsLock = statement<{ isTaken: boolean }>('takeTurnsLock').reads({
  params: { projectId: uuid },
  text: "select pg_try_advisory_xact_lock(hashtextextended('holdfast turns ' || $projectId, 0)) as is_taken",
});
