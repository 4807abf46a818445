import { statement, uuid } from '../../db/index.ts';

/** When the first buffer of a simulation is to be flushed; no row without a buffer. */
export const nextSimulatedFlush = statement<{ flushAt: Date }>('nextSimulatedFlush').reads({
  params: { projectId: uuid },
  text: 'select flush_at from flow_buffer where project_id = $projectId order by flush_at limit 1',
});
