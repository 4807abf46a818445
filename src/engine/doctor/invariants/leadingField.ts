/**
 * SQL: the text of a JSON column's first field, if it has that name and holds a plain string without quotes; else null. Read
 * off the text: `->>` would fail on the U+0000 that a later field may hold, and takes many times as long.
 */
export function leadingField(column: string, name: string): string {
  const start = `left(${column}::text, 80)`;
  return `case when split_part(${start}, '"', 2) = '${name}' then split_part(${start}, '"', 4) end`;
}

/** SQL: the status that a `run_status` frame tells of. */
export const statusOfFrame = leadingField('payload', 'status');
