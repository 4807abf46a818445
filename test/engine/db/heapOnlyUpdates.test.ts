import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';

describe('the indexes of run_work', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await database.db.close();
    await database.drop();
  });

  it('name nothing that a commit changes of a run which goes on, not even as a condition: no step writes to an index', async () => {
    const { rows } = await database.db.query<{ column: string }>(`
      select distinct a.attname as column
      from pg_index i
      join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = i.indexrelid and d.refobjid = i.indrelid
      join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
      where i.indrelid = 'run_work'::regclass`);
    const indexed = rows.map(({ column }) => column);
    expect(indexed).toContain('resume_state');
    for (const column of ['seq', 'claim_no', 'unanswered', 'repeats', 'transport_failures', 'wakes', 'pausing'])
      expect(indexed).not.toContain(column);
  });
});
