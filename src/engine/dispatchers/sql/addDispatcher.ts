import { instant, statement, uuid } from '../../db/index.ts';

/** Adds a dispatcher, alive from now on. */
export const addDispatcher = statement<never>('addDispatcher').writes({
  params: { id: uuid, now: instant },
  text: `
    insert into dispatcher (id, started_at, heartbeat_at)
    values ($id, $now, $now)
  `,
});
