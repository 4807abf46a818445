/** An SQL expression: the end of a rotation's overlap, from the row of the previous secret. */
const untilSql = (previous: string): string => `
      case when ${previous}.updated_at > $now - $overlapMs * interval '1 ms'
        then ${previous}.updated_at + $overlapMs * interval '1 ms' end as previous_secret_until`;

/** A left join with a secret of the row `of`. Secrets are few, and found by their key. */
const secretSql = (of: string, kind: string, alias: string): string => `
    left join sealed_secret as ${alias} on ${alias}.project_id = ${of}.project_id
      and ${alias}.kind = '${kind}' and ${alias}.name = ${of}.id::text`;

/** The columns and the joins of an `EndpointRow`. */
export const endpointSql = {
  columns: `e.id, e.project_id, e.name, e.app, e.url, e.event_kinds, e.scheme, e.enabled, e.disabled_at, e.created_at,
      e.updated_at, ${untilSql('previous')}`,
  from: `webhook_endpoint as e ${secretSql('e', 'webhook_endpoint_previous', 'previous')}`,
};

/** The columns and the joins of a `ShownSource`. */
export const shownSourceSql = {
  columns: `s.id, s.project_id, s.name, s.app, s.event_name, s.target_app, s.dedupe_key, s.scheme, s.handshake,
      s.expose_headers, s.enabled, s.created_at, s.updated_at, token.sealed as sealed_token, ${untilSql('previous')}`,
  from: `webhook_source as s ${secretSql('s', 'webhook_source_token', 'token')}
    ${secretSql('s', 'webhook_source_previous', 'previous')}`,
};
