import type { OverviewVersionsQuery } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import { type Read, useNow } from '../../design/index.ts';
import { versionsDocument } from './overviewDocuments.ts';
import { type Range, ranges } from './overviewSearch.ts';

interface Span {
  since: string;
  fromMs: number;
  toMs: number;
  /** Seconds that an answer may be old. Then everyone who looks at the range shares the answers. */
  maxAge: number;
}

/** The span of a range, on its buckets: so all panels and all people ask the same for a while. */
export function useSpan(range: Range): Span {
  const nowMs = useNow();
  const { ms, bucket, pollMs } = ranges[range];
  const widthMs = bucket * 1_000;
  const fromMs = Math.floor((nowMs - ms) / widthMs) * widthMs;
  const toMs = Math.floor(nowMs / widthMs) * widthMs;
  return { since: new Date(fromMs).toISOString(), fromMs, toMs, maxAge: pollMs / 2_000 };
}

/** The figures of versions, which two panels show. */
export function useVersions(range: Range): Read<OverviewVersionsQuery> {
  const { since, maxAge } = useSpan(range);
  return useRead(versionsDocument, { filter: { since }, maxAge }, { pollMs: ranges[range].pollMs });
}
