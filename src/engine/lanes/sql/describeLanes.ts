import { int, statement } from '../../db/index.ts';
import type { LaneRow } from './ensureLanes.ts';

/** The lanes with these ids. Unknown ids are omitted. */
export const describeLanes = statement<LaneRow>('describeLanes').reads({
  params: { ids: int.list },
  text: `
    select id, project_id, app, workflow, runner
    from lane
    where id = any($ids)`,
});
