/**
 * SQL: the steps whose bodies a runner is executing, of a row of `run_work` (`state`, `claim_no`,
 * `started`). An entry names the claim of its pass. The commit of that pass, and the loss of its
 * lease, end the claim. So no statement has to remove an entry, and none outlasts its pass.
 */
export const startedStepsSql = (work: string): string => `
          select e.id as step_id, e.name, e.index, e.attempt, e.at as started_at
          from jsonb_to_recordset(case when ${work}.state = 'leased' then ${work}.started end)
            as e ("claimNo" int, id text, name text, index int, attempt int, at timestamptz)
          where e."claimNo" = ${work}.claim_no`;
