import { type Infer, moment, object, oneOf, readBy, text } from '../../router/searchFields.ts';

const sessionsSearch = object({
  app: text,
  since: moment,
  sort: oneOf(['latest', 'cost']),
});

/** A session's page: the run whose model calls are unfolded. */
const sessionSearch = object({ run: text });

export type SessionsSearch = Infer<typeof sessionsSearch>;
export type SessionSearch = Infer<typeof sessionSearch>;

export const readSessionsSearch = readBy(sessionsSearch);
export const readSessionSearch = readBy(sessionSearch);
