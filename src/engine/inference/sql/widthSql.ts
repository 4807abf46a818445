/*
 * SQL: how many calls of a lane (`inference_lane`) may be in flight. A lane without a recent
 * success opens slowly, so that a provider that is slow to refuse gets few requests before its
 * first word.
 */

/** The calls in flight of a lane without a recent success. */
export const firstWidth = 16;

/** The age of a last success that is not recent. */
export const forgottenSql = "interval '10 minutes'";

const doubleEverySql = "interval '2 seconds'";
const doublingsSql = (lane: string): string =>
  `greatest(0, floor(extract(epoch from $now - ${lane}.opening_since) / extract(epoch from ${doubleEverySql})))`;

/** SQL: the width now; null: as many as the key may have. */
export const widthSql = (lane: string): string =>
  `case when ${lane}.opening_since is null then ${lane}.width
        else (${lane}.width * 2 ^ least(${doublingsSql(lane)}, 16))::int end`;

/** SQL: when the width grows by itself; null: it does not. */
export const widensAtSql = (lane: string): string =>
  `case when ${lane}.width is not null and ${widthSql(lane)} < $limit
        then ${lane}.opening_since + (${doublingsSql(lane)} + 1) * ${doubleEverySql} end`;
