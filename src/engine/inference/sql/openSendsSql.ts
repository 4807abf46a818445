/** SQL: 1 if the last send of a call (`inference_call`) is under way, else 0. */
export const openSendsSql = (call: string): string => `(select count(*) from inference_send s
        where s.run_id = ${call}.run_id and s.step_index = ${call}.step_index and s.attempt = ${call}.attempt
          and s.number = ${call}.sends and s.outcome is null)::int`;
