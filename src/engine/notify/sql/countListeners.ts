import { statement, text } from '../../db/index.ts';

/** How many processes listen for hints on this database. */
export const countListeners = statement<{ listeners: number }>('countListeners').reads({
  params: { applicationName: text },
  text: `
    select count(*)::int as listeners from pg_stat_activity
    where datname = current_database() and application_name = $applicationName
  `,
});
