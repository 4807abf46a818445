import { isId, lowestIdAt } from '../ids.ts';
import { readStepError } from '../passes/index.ts';
import type { RunRow } from '../runs/index.ts';
import type { RunCancellation } from './diagnosis.ts';
import type { CancellationRow } from './sql/selectCancellations.ts';

/** A bulk call of 1000 runs is recorded within this time after the end of any of them, in ms. */
const bulkMs = 60_000;

/** A cancelled run, with the ids between which a bulk call would have been recorded. */
export function cancelledRun({ id, endedAt, createdAt }: RunRow) {
  const at = endedAt ?? createdAt;
  return {
    runId: id,
    endedAt: at,
    auditFrom: lowestIdAt(at),
    auditUpto: lowestIdAt(new Date(at.getTime() + bulkMs)),
  };
}

/** Who or what cancelled a run: what is recorded with the run itself comes first. */
export function cancellationOf(row: CancellationRow): RunCancellation {
  const none = { actor: undefined, eventId: undefined, runId: undefined };
  const error = row.error === null ? undefined : readStepError(JSON.parse(row.error));
  if (error?.name === 'CancelledByEventError') return { ...none, by: 'event', eventId: idIn(error.message) };
  if (error?.name === 'StartExpiredError') return { ...none, by: 'ttl' };
  if (row.isCalled) return { ...none, by: 'caller', actor: row.actor ?? undefined };
  if (row.endedParentId !== null) return { ...none, by: 'parent', runId: row.endedParentId };
  if (row.displacedBy !== null) return { ...none, by: 'singleton', runId: row.displacedBy };
  if (row.isBulk) return { ...none, by: 'bulk', actor: row.bulkActor ?? undefined };
  return { ...none, by: 'unknown' };
}

/** The id at the end of the reason, in brackets. */
function idIn(message: string): string | undefined {
  const id = message.slice(-37, -1);
  return isId(id) ? id : undefined;
}
