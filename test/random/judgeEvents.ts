import { agree } from './agree.ts';
import type { Scene } from './process.ts';
import type { RunRecord } from './runRecord.ts';

interface EventRecord {
  id: string;
  dedupe_id: string;
  triggered: string[];
}

/** What was acknowledged is there once, under its id, with the runs that it named (I1). */
export async function judgeEvents(
  { db, projectId, ledger }: Scene,
  runs: ReadonlyMap<string, RunRecord>,
): Promise<void> {
  const { rows } = await db.query<EventRecord>({
    name: 'eventsOfProject',
    text: `
      select id, dedupe_id, array(select t ->> 'runId' from json_array_elements(triggered) t) as triggered
      from event where project_id = $1 and source = 'api'`,
    values: [projectId],
  });
  agree(
    'events, each acknowledged once',
    rows.map((row) => row.dedupe_id).sort(),
    ledger.acknowledged.map((each) => each.dedupeId).sort(),
  );
  agree(
    'runs that a client was told of and that do not exist',
    ledger.startedRuns.filter((id) => !runs.has(id)),
    [],
  );
  const records = new Map(rows.map((row) => [row.dedupe_id, row]));
  for (const { dedupeId, eventId, runIds } of ledger.acknowledged) {
    const record = records.get(dedupeId);
    agree(`the id of ${dedupeId}`, record?.id, eventId);
    const named = [...runIds, ...(record?.triggered ?? [])];
    agree(
      `runs of ${dedupeId} that do not exist`,
      named.filter((id) => !runs.has(id)),
      [],
    );
    const started = [...runs.values()].filter((run) => run.event_id === eventId && run.replay_of === null);
    agree(`runs that ${dedupeId} started`, started.map(({ id }) => id).sort(), [...(record?.triggered ?? [])].sort());
  }
}
