import { rowset, statement, text, uuid } from '../../db/index.ts';
import { isHeldByAnother } from '../../runners/index.ts';

/** An open socket, and the runner that it stands for. */
export interface OpenConnection {
  connectionId: string;
  projectId: string;
  app: string;
  runnerId: string;
}

interface Row {
  connectionId: string;
  /**
   * Whether another connection stands for the runner; else nothing does, as far as the registry
   * knows.
   */
  isReplaced: boolean;
}

/** The connections that do not represent their runner any more. Rides the key of `runner`. */
export const findStrayConnections = statement<Row>('findStrayConnections').reads({
  params: {
    connections: rowset({ connectionId: uuid, projectId: uuid, app: text, runnerId: text }),
  },
  text: `
    select given.connection_id, coalesce(${isHeldByAnother('r', 'given.connection_id')}, false) as is_replaced
    from $connections as given
    left join runner r on r.project_id = given.project_id and r.app = given.app and r.runner_id = given.runner_id
    where r.id is null or not r.connected or r.connection_id <> given.connection_id
  `,
});
