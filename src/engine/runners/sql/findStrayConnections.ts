import { bigint, rowset, statement, text, uuid } from '../../db/index.ts';

/** An open socket, and the runner that it represents. */
export interface OpenConnection {
  connectionId: string;
  connectionNo: number;
  dispatcherId: string;
  projectId: string;
  app: string;
  runnerId: string;
}

interface Row {
  connectionId: string;
  /** Whether another connection, or a URL, represents the runner, and is not older. */
  isHeld: boolean;
  /** Whether that one is newer. */
  isReplaced: boolean;
}

/**
 * The connections that their runner's row does not name: it names another connection, another
 * dispatcher, or none. Rides the key of `runner`. A URL that registers has no number before it is
 * entered.
 *
 * An older build writes no number, so its connection keeps the number of the one before. Such a
 * connection is not known to be newer, but it is not displaced either.
 */
export const findStrayConnections = statement<Row>('findStrayConnections').reads({
  params: {
    connections: rowset({
      connectionId: uuid,
      connectionNo: bigint.orNull,
      dispatcherId: uuid.orNull,
      projectId: uuid,
      app: text,
      runnerId: text,
    }),
  },
  text: `
    select given.connection_id,
      coalesce(r.connected and r.connection_id <> given.connection_id and r.connection_no >= given.connection_no, false) as is_held,
      coalesce(r.connected and r.connection_no > given.connection_no, false) as is_replaced
    from $connections as given
    left join runner r on r.project_id = given.project_id and r.app = given.app and r.runner_id = given.runner_id
    where r.id is null
      or not r.connected
      or r.connection_id <> given.connection_id
      or r.dispatcher_id is distinct from given.dispatcher_id`,
});
