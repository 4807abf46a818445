import { float8, instant, statement, uuid } from '../../db/index.ts';

interface Row {
  projectId: string;
  connectionId: string;
  /** Whether it does not count as live any more. */
  isGone: boolean;
  /** Whether it counted as live before. */
  wasLive: boolean;
}

/**
 * Records that HTTP runners missed a probe. A runner that has missed all probes of all processes
 * for the liveness window is not live, however often it registers: it was last seen when the misses
 * began. A runner that is being registered right now is skipped; the next miss records the same.
 */
export const missRunners = statement<Row>('missRunners').writes({
  params: { connectionIds: uuid.list, livenessMs: float8, now: instant },
  text: `
    update runner r
    set missing_since = f.since,
      last_seen_at = case when f.is_gone then least(r.last_seen_at, f.since) else r.last_seen_at end
    from (
      select id, since, since <= $now - $livenessMs * interval '1 ms' as is_gone,
        last_seen_at > $now - $livenessMs * interval '1 ms' as was_live
      from (
        select id, coalesce(missing_since, $now) as since, last_seen_at
        from runner
        where connection_id = any($connectionIds) and connected and transport = 'http'
        for update skip locked
      ) former
    ) f
    where r.id = f.id
    returning r.project_id, r.connection_id, f.is_gone, f.was_live`,
});
