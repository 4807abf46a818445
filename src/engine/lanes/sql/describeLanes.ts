import { statement } from '../../db/index.ts';
import type { LaneRow } from './ensureLanes.ts';

/** The lanes behind ids; an unknown id is left out. */
export const describeLanes = statement<{ ids: readonly number[] }, LaneRow>({
  name: 'describeLanes',
  writes: false,
  text: `
    select id, project_id as "projectId", app, workflow, runner
    from lane
    where id = any($1::int[])`,
  values: ({ ids }) => [ids],
});
