import { defineCheck, type FoundRow } from './check.ts';
import { hasLiveDispatcher } from './grace.ts';

interface Row extends FoundRow {
  eventName: string;
  openMs: number;
}

/** The event log is searched for a wait that looks back. */
export const logUnsearched = defineCheck<Row>({
  invariant: 'I9',
  name: 'logUnsearched',
  text: `
    select run_id as subject, project_id, event_name,
      (extract(epoch from $now - created_at) * 1000)::float8 as open_ms
    from run_wait
    where looks_back and created_at < $now - interval '1 minute'
      and ${hasLiveDispatcher("interval '1 minute'")}
    order by created_at
    limit $limit`,
  describe: ({ subject, eventName, openMs }) =>
    `run ${subject} has waited for ${JSON.stringify(eventName)} for ${Math.round(openMs / 1000)} s, but the log has not been searched`,
});
