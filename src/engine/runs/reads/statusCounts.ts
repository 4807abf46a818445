import { type RunStatus, runStatuses } from '../status.ts';

export type StatusCounts = Readonly<Record<RunStatus, number>>;

/** SQL: how many of the rows in a group have each status, as JSON. */
export const statusCountsSql = `json_build_object(${runStatuses
  .map((status) => `'${status}', count(*) filter (where status = '${status}')`)
  .join(', ')})`;
