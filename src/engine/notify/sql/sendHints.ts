import { statement, text } from '../../db/index.ts';

/**
 * Notifies the processes that listen. A transaction of its own: a notification inside a hot one
 * would make commits queue up.
 */
export const sendHints = statement<never>('sendHints').reads({
  params: { message: text },
  text: "select pg_notify('holdfast', $message)",
});
