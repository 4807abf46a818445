/**
 * SQL: whether another process has calls, or sends under way. The order of each look leaves the
 * planner only the index of the few rows that are leased or open.
 */
export const hasOthersSql = (processId: string): string => `(
        (select lease_id from inference_call where lease_id is not null and lease_id <> ${processId}
          order by key_id, lane_id, project_id limit 1) is not null
        or (select process_id from inference_send where outcome is null and process_id <> ${processId}
          order by process_id limit 1) is not null)`;
