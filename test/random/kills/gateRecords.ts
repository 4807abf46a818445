import type { Queryable } from '../../../src/engine/db/statement.ts';
import { type GateData, type GateName, gateNames } from './gates.ts';

/** The service's record of an event and its outcome. */
export interface EventRow extends GateData {
  id: string;
  name: GateName;
  triggered: ({ runId?: string } & Record<string, unknown>)[];
}

export interface RunRow extends GateData {
  id: string;
  workflow: GateName;
  event_id: string;
  status: string;
  result: string;
  /** The name of the error that it failed with. */
  error: string | null;
  /** The data of the run's events: one, unless it is a batch. */
  given: GateData[];
  created_ms: number;
  start_ms: number | null;
  started_ms: number | null;
}

export async function readEvents(db: Queryable): Promise<EventRow[]> {
  const { rows } = await db.query<EventRow>({
    name: 'eventsOfGates',
    text: `select id, name, (data ->> 'n')::int as n, data ->> 'key' as key, triggered::jsonb from event where name = any($1)`,
    values: [gateNames],
  });
  return rows;
}

export async function readRuns(db: Queryable): Promise<RunRow[]> {
  const { rows } = await db.query<Omit<RunRow, 'given'> & { given: string }>({
    name: 'runsOfGates',
    text: `
      select id, workflow, event_id, status, result, error ->> 'name' as error, (input ->> 'n')::int as n, input ->> 'key' as key,
        case when events is null then json_build_array(input)
          else (select json_agg(each -> 'data') from json_array_elements(events) each) end as given,
        (extract(epoch from created_at) * 1000)::float8 as created_ms,
        (extract(epoch from start_at) * 1000)::float8 as start_ms,
        (extract(epoch from started_at) * 1000)::float8 as started_ms
      from run where workflow = any($1)`,
    values: [gateNames],
  });
  return rows.map((row) => ({ ...row, given: JSON.parse(row.given) }));
}
