const isOver = 'd.expires_at <= $now';

/**
 * SQL: what an insert into `dedupe_key as d` does where somebody has claimed the key already. A claim whose window is over is taken over.
 * One that holds is written as it is: only what is written is returned, and as the transaction left it that was waited for. Returns who holds
 * each key now.
 */
export const orHolder = `
      on conflict (project_id, scope, key) do update set
        ref_id = case when ${isOver} then excluded.ref_id else d.ref_id end,
        expires_at = case when ${isOver} then excluded.expires_at else d.expires_at end
      returning project_id, scope, key, ref_id`;
