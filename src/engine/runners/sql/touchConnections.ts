import { float8, instant, jsonb, statement, uuid } from '../../db/index.ts';

interface Row {
  projectId: string;
  /** Whether the runner had counted as gone. */
  isBack: boolean;
}

/**
 * Records that runners were seen. A runner that is being registered or closed right now is skipped:
 * that transaction records the same or more.
 */
export const touchConnections = statement<Row>('touchConnections').writes({
  params: {
    connectionIds: uuid.list,
    /** The known invokes in flight by connection: an object, so that a key is found fast. */
    inFlight: jsonb,
    livenessMs: float8,
    now: instant,
  },
  text: `
    update runner r
    set last_seen_at = $now, missing_since = null, in_flight = ($inFlight ->> r.connection_id::text)::int
    from (
      select id, last_seen_at
      from runner
      where connection_id = any($connectionIds) and connected
      for update skip locked
    ) former
    where r.id = former.id
    returning r.project_id,
      former.last_seen_at <= $now - $livenessMs * interval '1 ms' as is_back`,
});
