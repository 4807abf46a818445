import { statement, uuid } from '../../db/index.ts';

/**
 * Locks a dispatcher's row. Whoever leases runs to it holds the row meanwhile (`for key share`): so no lease is being written any more
 * once this has come back, and the next statement of the transaction sees all that were.
 */
export const lockDispatcher = statement<never>('lockDispatcher').reads({
  params: { id: uuid },
  text: 'select from dispatcher where id = $id for update',
});
