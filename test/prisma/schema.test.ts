import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { diffSchema, readSchema, type SchemaFile } from '../../prisma/schemaDiff.ts';
import { dumpSchema } from '../../prisma/schemaSnapshot.ts';
import { migrationsDirectory } from '../../src/engine/db/migrations/migrate.ts';
import { readMigrations } from '../../src/engine/db/migrations/migrationFiles.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

describe('the data model', () => {
  let database: TestDatabase;
  let schema: SchemaFile[];
  beforeAll(async () => {
    database = await createTestDatabase();
    schema = await readSchema(fileURLToPath(new URL('../../prisma/schema', import.meta.url)));
  });
  afterAll(() => database.drop());

  test('is the same in the migrations, in the schema and in a live database', async () => {
    expect(await diffSchema(database.url, schema)).toBe('');
  });

  test('is what the committed snapshot shows', async () => {
    const snapshot = fileURLToPath(new URL('../../prisma/schema.snapshot.sql', import.meta.url));
    expect(await dumpSchema(database.db)).toBe(await readFile(snapshot, 'utf8'));
  });

  test('would differ if a migration were missing', async () => {
    await database.db.query('alter table run drop column workflow');
    expect(await diffSchema(database.url, schema)).toContain('ADD COLUMN     "workflow"');
  });
});

describe('a migration', () => {
  // The first one makes these tables, so it finds them empty.
  test('builds no index on a big table while it keeps the readers of a big table out', async () => {
    const [, ...files] = await readMigrations(migrationsDirectory());
    const big = '"(run|run_step|run_frame|event)"';
    const locks = new RegExp(`^ALTER TABLE ${big}`, 'im');
    const builds = new RegExp(`^CREATE (UNIQUE )?INDEX "\\w+" ON ${big}`, 'im');
    const slow = files.filter(({ script }) => locks.test(script) && builds.test(script));
    expect(slow.map(({ name }) => name)).toEqual([]);
  });
});
