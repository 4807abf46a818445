import { statement } from '../../db/index.ts';
import { isHeldByAnother } from '../../runners/index.ts';

/** An open socket, and the runner that it stands for. */
export interface OpenConnection {
  connectionId: string;
  projectId: string;
  app: string;
  runnerId: string;
}

interface Row {
  connection_id: string;
  /** Whether another connection stands for the runner; else nothing does, as far as the registry knows. */
  is_replaced: boolean;
}

/** Those of the connections that do not stand for their runner any more. Rides the key of `runner`. */
export const findStrayConnections = statement<{ connections: readonly OpenConnection[] }, Row>({
  name: 'findStrayConnections',
  writes: false,
  text: `
    select given.connection_id, coalesce(${isHeldByAnother('r', 'given.connection_id')}, false) as is_replaced
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) as given (connection_id, project_id, app, runner_id)
    left join runner r on r.project_id = given.project_id and r.app = given.app and r.runner_id = given.runner_id
    where r.id is null or not r.connected or r.connection_id <> given.connection_id
  `,
  values: ({ connections }) => [
    connections.map((each) => each.connectionId),
    connections.map((each) => each.projectId),
    connections.map((each) => each.app),
    connections.map((each) => each.runnerId),
  ],
});
