import { statement, text } from '../../db/index.ts';

/**
 * Notifies the listening processes. Not inside the transactions of runs, where notifications would
 * serialize the commits.
 */
export const sendHints = statement<never>('sendHints').reads({
  params: { message: text },
  text: "select pg_notify('holdfast', $message)",
});
