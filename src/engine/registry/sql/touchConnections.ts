import { statement } from '../../db/statement.ts';

/**
 * Notes that runners were seen. One that is being registered or closed at this instant is skipped: whoever does that says
 * the same or more.
 */
export const touchConnections = statement<{ connectionIds: readonly string[]; now: Date | null }, { id: string }>({
  name: 'touchConnections',
  writes: true,
  text: `
    update runner
    set last_seen_at = coalesce($2::timestamptz, now())
    where id in (
      select id
      from runner
      where connection_id = any($1::uuid[]) and connected
      for update skip locked
    )
    returning id`,
  values: ({ connectionIds, now }) => [connectionIds, now],
});
