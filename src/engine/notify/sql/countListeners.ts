import { statement } from '../../db/index.ts';

/** How many processes listen for hints on this database. */
export const countListeners = statement<{ applicationName: string }, { listeners: number }>({
  name: 'countListeners',
  writes: false,
  text: `
    select count(*)::int as listeners from pg_stat_activity
    where datname = current_database() and application_name = $1
  `,
  values: ({ applicationName }) => [applicationName],
});
