/** SQL: whether another process has calls, or sends under way. */
export const hasOthersSql = (processId: string): string => `(
        exists (select from inference_call where lease_id is not null and lease_id <> ${processId})
        or exists (select from inference_send where outcome is null and process_id <> ${processId}))`;
