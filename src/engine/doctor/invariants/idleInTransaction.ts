import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  application: string;
  idleMs: number;
}

/**
 * Such a connection keeps locks, and keeps dead rows from being vacuumed. Only sessions of this
 * database.
 */
export const idleInTransaction = defineCheck<Row>({
  invariant: 'I19',
  name: 'idleInTransaction',
  text: `
    select pid::text as subject, null as project_id, application_name as application,
      (extract(epoch from $now - state_change) * 1000)::float8 as idle_ms
    from pg_stat_activity
    where datname = current_database() and starts_with(state, 'idle in transaction')
      and state_change < $now - interval '5 seconds'
    limit $limit`,
  describe: ({ subject, application, idleMs }) =>
    `connection ${subject} (${application || 'unnamed'}) has been idle in a transaction for ${Math.round(idleMs / 1000)} s`,
});
