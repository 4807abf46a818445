/**
 * SQL: an error as it is compared: its name and the beginning of its message, in which ids and
 * numbers count as equal. It is compared as JSON, because a message may hold characters that no
 * text of PostgreSQL can. The stack, which comes last, does not count.
 */
export const likenessSql = (error: string): string => `regexp_replace(
          left(rtrim(split_part(${error}::text, ',"stack":"', 1), '}'), 1000),
          '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\\m[0-9a-f]{12,}\\M|[0-9]+', '#', 'gi')`;
