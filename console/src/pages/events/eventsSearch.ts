import { flag, type Infer, moment, object, readBy, tags, text } from '../../router/searchFields.ts';

const eventsSearch = object({
  name: text,
  app: text,
  session: text,
  since: moment,
  /** Only events for which no workflow matched. */
  unmatched: flag,
  tags,
});

export type EventsSearch = Infer<typeof eventsSearch>;
export const readEventsSearch = readBy(eventsSearch);

/** The form starts from a name, or from an event that is sent again. */
const sendSearch = object({ name: text, from: text });

export const readSendSearch = readBy(sendSearch);
