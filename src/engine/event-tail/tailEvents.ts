import type { EngineContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { isId } from '../ids.ts';
import { hasUnsupportedCharacter } from '../json/index.ts';
import { Mailbox } from '../timeline/index.ts';
import { eventHub } from './eventHub.ts';
import { type EventFilter, EventTail } from './eventTail.ts';
import type { IngestedEvent } from './followedEvents.ts';

export interface EventTailQuery extends EventFilter {
  /**
   * The last event that the consumer has seen: those after it come first, and before them those of the ten seconds before it that
   * may have been recorded later. Absent: nothing of the past.
   */
  afterId?: string | undefined;
  /** Ends the tail. */
  signal?: AbortSignal | undefined;
}

const capacity = 2_000;

/**
 * A project's events as they are recorded (4.3), by id: the record itself is read from the event log. A consumer that falls
 * two thousand behind is cut off, and resumes from the last event that it saw; then some may come twice. Throws `invalid` when `afterId` is no id.
 */
export function tailEvents(ctx: EngineContext, query: EventTailQuery): AsyncIterableIterator<IngestedEvent> {
  const { projectId, app, name, afterId, signal } = query;
  if (afterId !== undefined && !isId(afterId)) throw invalid('after must be the id of an event');
  const leave = eventHub(ctx).listen(projectId, (event) => {
    const isWanted = (app === undefined || event.app === app) && (name === undefined || event.name === name);
    if (isWanted) mailbox.offer(event);
  });
  const mailbox = new Mailbox<IngestedEvent>({ capacity, signal, onClose: leave });
  // What no column can hold names nothing that was recorded.
  const isNameable = ![app, name].some((text) => text !== undefined && hasUnsupportedCharacter(text));
  if (afterId === undefined || !isNameable) return mailbox;
  return new EventTail(ctx, { projectId, app, name, after: afterId }, mailbox);
}
