import { statement } from '../../db/index.ts';

interface Params {
  connectionIds: readonly string[];
  livenessMs: number;
  now: Date | null;
}

interface Row {
  projectId: string;
  /** Not heard of for so long that it counted as gone. */
  isBack: boolean;
}

/**
 * Notes that runners were seen. One that is being registered or closed at this instant is skipped: whoever does that says
 * the same or more.
 */
export const touchConnections = statement<Params, Row>({
  name: 'touchConnections',
  writes: true,
  text: `
    update runner r
    set last_seen_at = coalesce($3::timestamptz, now())
    from (
      select id, last_seen_at
      from runner
      where connection_id = any($1::uuid[]) and connected
      for update skip locked
    ) former
    where r.id = former.id
    returning r.project_id as "projectId",
      former.last_seen_at <= coalesce($3::timestamptz, now()) - $2::float8 * interval '1 ms' as "isBack"`,
  values: ({ connectionIds, livenessMs, now }) => [connectionIds, livenessMs, now],
});
