import type { NewRun, StartOf } from '../ingest/index.ts';

/**
 * What a start has of its own, without its payload: all that is needed to build its run when the
 * buffer is flushed.
 */
export type BufferedStart = Pick<
  StartOf,
  'triggerKind' | 'eventName' | 'eventId' | 'session' | 'runner' | 'depth' | 'tags'
>;

/** The start as a buffer keeps it: JSON text. */
export function startText(run: NewRun): string {
  const { triggerKind, eventName, eventId, session, runner, depth, tags } = run;
  const start: BufferedStart = { triggerKind, eventName, eventId, session, runner, depth, tags };
  return JSON.stringify(start);
}

/** Reads what `startText` wrote. */
export function readStart(text: string): BufferedStart {
  const { triggerKind, eventName, eventId, session, runner, depth, tags }: BufferedStart = JSON.parse(text);
  return { triggerKind, eventName, eventId, session, runner, depth, tags };
}
