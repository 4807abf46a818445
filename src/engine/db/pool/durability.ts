import type pg from 'pg';

const rules = {
  fsync: ['on'],
  full_page_writes: ['on'],
  synchronous_commit: ['on', 'local', 'remote_write', 'remote_apply'],
} as const;

/** The database could lose acknowledged commits. */
export class DurabilityError extends Error {
  override readonly name = 'DurabilityError';
}

/** Throws unless commits survive a loss of power. The error names each wrong setting. */
export async function assertDurable(db: Pick<pg.Client | pg.Pool, 'query'>): Promise<void> {
  const { rows } = await db.query<{ name: keyof typeof rules; setting: string }>(
    'select name, setting from pg_settings where name = any($1)',
    [Object.keys(rules)],
  );
  const wrong = rows.filter(({ name, setting }) => !rules[name].some((accepted) => accepted === setting));
  if (wrong.length === 0) return;
  const found = wrong.map(({ name, setting }) => `${name} is ${setting}`).join(', ');
  throw new DurabilityError(
    `the database may lose acknowledged commits: ${found}. Turn it on (in postgresql.conf, or with alter system)`,
  );
}
