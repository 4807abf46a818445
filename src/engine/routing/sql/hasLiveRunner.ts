/** SQL: whether a live runner could take the runs of a row of `lane` (4.10 routing). The statement has `$livenessMs` and `$now`. */
export const hasLiveRunner = (lane: string): string => `exists (
        select from runner r
        where r.project_id = ${lane}.project_id and r.app = ${lane}.app and r.connected
          and ${lane}.workflow = any(r.workflows) and (${lane}.runner = '' or r.runner_id = ${lane}.runner)
          and r.last_seen_at > $now - $livenessMs * interval '1 ms')`;
