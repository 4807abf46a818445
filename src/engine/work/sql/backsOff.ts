/**
 * SQL: whether a row of `run_work` waits for its pass to be sent again. What ends its steps meanwhile is recorded, and leaves it parked: the
 * delay is the handler's, or the policy's. That both times are the same tells it from one that an older build parked since.
 */
export const backsOff = (row: string): string => `coalesce(${row}.due_at = ${row}.retry_at, false)`;
