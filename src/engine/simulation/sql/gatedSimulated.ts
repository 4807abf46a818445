import { int, statement, uuid } from '../../db/index.ts';

export interface GatedRow {
  runId: string;
  gate: 'slot' | 'ceiling';
  slot: string | null;
}

/** The runs of a simulation that wait for a slot, or for the ceiling. */
export const gatedSimulated = statement<GatedRow>('gatedSimulated').reads({
  params: { projectId: uuid, laneId: int },
  text: `
    select run_id, gate, slot::text from run_work
    where project_id = $projectId and lane_id = $laneId and state = 'gated'
  `,
});
