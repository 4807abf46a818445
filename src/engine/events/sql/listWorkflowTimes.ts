import { bigint, statement, uuid } from '../../db/index.ts';

interface Row {
  app: string;
  name: string;
  /** When its definition last changed. */
  updatedAt: Date;
}

/** The workflows of a project with the times of their definitions, by app and name. */
export const listWorkflowTimes = statement<Row>('listWorkflowTimes').reads({
  params: { projectId: uuid, limit: bigint },
  text: 'select app, name, updated_at from workflow where project_id = $projectId order by app, name limit $limit',
});
