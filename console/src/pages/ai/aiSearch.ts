import { type Infer, instantOf, moment, object, oneOf, readBy, text } from '../../router/searchFields.ts';

const aiSearch = object({
  range: moment,
  app: text,
  workflow: text,
  model: text,
  /** What the chart shows; cost unless given. */
  by: oneOf(['cost', 'tokens', 'calls']),
});

export type AiSearch = Infer<typeof aiSearch>;
export type Figure = NonNullable<AiSearch['by']>;

export const readAiSearch = readBy(aiSearch);

export const defaultRange = '7d';

export interface AiSpan {
  since: string;
  from: number;
  to: number;
  spanMs: number;
}

/** The time that the URL selects, until now. */
export function spanOf({ range = defaultRange }: AiSearch, now: number): AiSpan {
  const since = instantOf(range, now) ?? new Date(now).toISOString();
  const from = Date.parse(since);
  const to = Math.max(now, from);
  return { since, from, to, spanMs: to - from };
}
