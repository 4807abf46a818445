import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  recorded: string;
  found: string;
}

/** A buffer is not empty and counts its events correctly, and every stored event has a buffer. */
export const bufferMiscounted = defineCheck<Row>({
  invariant: 'I10',
  name: 'bufferMiscounted',
  text: `
    select b.id as subject, b.project_id, b.items || ' events, ' || b.bytes || ' bytes' as recorded,
      i.items || ' events, ' || i.bytes || ' bytes' as found
    from flow_buffer b
    cross join lateral (
      select count(*) as items, coalesce(sum(octet_length(input::text)), 0) as bytes
      from flow_buffer_item where buffer_id = b.id
    ) i
    where i.items = 0 or i.items <> b.items or i.bytes <> b.bytes
    union all
    select i.buffer_id, null, 'nothing', count(*) || ' events'
    from flow_buffer_item i
    where not exists (select from flow_buffer b where b.id = i.buffer_id)
    group by i.buffer_id
    limit $limit`,
  describe: ({ subject, recorded, found }) => `buffer ${subject} records ${recorded}, but has ${found}`,
});
