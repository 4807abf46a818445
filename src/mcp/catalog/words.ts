import type { JsonSchema } from '../../rest/index.ts';

/**
 * What models read about arguments whose names do not say it all. REST speaks of URLs and headers.
 */
const words: Readonly<Record<string, string>> = {
  cursor: '`nextCursor` of the page before.',
  since: 'RFC 3339, or a span back from now: `30m`, `2h`, `7d`.',
  until: 'RFC 3339.',
  tag: 'All of these tags.',
  q: 'Part of the workflow, the id or the app.',
  deep: '`q` also searches input, result and error.',
  bucket: 'Seconds.',
  dedupeId: 'The `dedupeId` of what started it.',
  replayOf: 'Forks of this run.',
  parentRunId: 'Children of this run.',
  eventId: 'Started by this event.',
  from: 'Only lines after this `seq`.',
};

/** The schema of a parameter as models see it: short, and without bounds that the answer tells. */
export function shortSchema(
  name: string,
  { description: _long, maxLength: _bound, ...schema }: JsonSchema,
): JsonSchema {
  const { format, default: byDefault, ...rest } = schema;
  const description = words[name];
  return {
    ...rest,
    // `since` also takes a span.
    ...(format !== undefined && name !== 'since' && { format }),
    ...(byDefault !== undefined && { default: byDefault }),
    ...(description !== undefined && { description }),
  };
}
