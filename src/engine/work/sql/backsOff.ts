/**
 * SQL: whether a row of `run_work` waits now for its pass to be sent again. What ends its steps meanwhile is recorded, and
 * leaves it parked: the delay is the handler's, or the policy's. A row that an older build parked since is due at no time, or after this.
 */
export const backsOff = (row: string): string =>
  `coalesce(${row}.retry_at > $now and ${row}.due_at <= ${row}.retry_at, false)`;
