import { statement } from '../../db/index.ts';

/** Tells whoever listens. A transaction of its own: a notification inside a hot one would make commits queue up. */
export const sendHints = statement<{ message: string }, never>({
  name: 'sendHints',
  writes: false,
  text: "select pg_notify('holdfast', $1)",
  values: ({ message }) => [message],
});
