import type { Scene } from '../storm/process.ts';
import type { Reason } from './withheld.ts';

/** The outcome of an event in one workflow: a run, or why there is none. */
export type Entry = {
  app: string;
  workflow: string;
  runId?: string | undefined;
  existingRunId?: string | undefined;
} & { [Each in Reason]?: true };

export interface EventRecord {
  id: string;
  name: string;
  source: 'api' | 'emit';
  dedupe_id: string | null;
  /** The value at the policies' key. */
  key: string | null;
  received_at: string;
  triggered: Entry[];
}

/** All events of a project. */
export async function eventsOf({ db, projectId }: Scene): Promise<EventRecord[]> {
  const { rows } = await db.query<Omit<EventRecord, 'triggered'> & { triggered: string }>({
    name: 'eventsOfProject',
    text: `
      select id, name, source, dedupe_id, data ->> 'key' as key, received_at::text, triggered
      from event where project_id = $1 order by id`,
    values: [projectId],
  });
  return rows.map((row) => ({ ...row, triggered: JSON.parse(row.triggered) }));
}
