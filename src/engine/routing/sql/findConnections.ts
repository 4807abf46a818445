import { statement } from '../../db/statement.ts';

/** Connections that stand for a runner now, of those that a dispatcher registered. Rides `runner_dispatcher_id_idx`. */
export const findConnections = statement<{ dispatcherId: string }, { connection_id: string }>({
  name: 'findConnections',
  writes: false,
  text: 'select connection_id from runner where dispatcher_id = $1 and connected',
  values: ({ dispatcherId }) => [dispatcherId],
});
