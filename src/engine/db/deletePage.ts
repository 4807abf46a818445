/**
 * SQL: deletes rows whose time has passed, the oldest first, a page at most, and counts them as
 * `deleted`. An index on the column gives the order. A locked row is skipped, so nobody waits. A
 * row that was changed meanwhile has a new `ctid`, so the delete does not find it. The statement
 * has the parameters of `before` and `limit`.
 */
export const deletePageSql = (table: string, { column, before }: { column: string; before: string }): string => `
    with passed as materialized (
      select ctid as version from ${table}
      where ${column} <= ${before}
      order by ${column} limit $limit
      for update skip locked
    ),
    gone as (
      delete from ${table} where ctid = any(array(select version from passed))
      returning 1
    )
    select count(*)::int as deleted from gone
  `;
