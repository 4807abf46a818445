import { statement } from '../../db/index.ts';

/** Makes a dispatcher known, alive from now on. */
export const addDispatcher = statement<{ id: string; now: Date | null }, never>({
  name: 'addDispatcher',
  writes: true,
  text: `
    insert into dispatcher (id, started_at, heartbeat_at)
    values ($1, coalesce($2::timestamptz, now()), coalesce($2::timestamptz, now()))
  `,
  values: ({ id, now }) => [id, now],
});
