import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  events: number;
  maxSize: number;
}

/** Checks runs of the current definition, which has the limit. */
export const batchTooLarge = defineCheck<Row>({
  invariant: 'I10',
  name: 'batchTooLarge',
  text: `
    select r.id as subject, r.project_id, json_array_length(r.events) as events,
      (w.flow_control -> 'batch' ->> 'maxSize')::int as max_size
    from run r
    join workflow w on w.project_id = r.project_id and w.app = r.app and w.name = r.workflow and w.version = r.version
    where r.id >= $floorId and r.events is not null and r.replay_of is null
      and json_array_length(r.events) > (w.flow_control -> 'batch' ->> 'maxSize')::int
    limit $limit`,
  describe: ({ subject, events, maxSize }) => `run ${subject} has ${events} events, and its workflow allows ${maxSize}`,
});
