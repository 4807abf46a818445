import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { diffSchema, readSchema, type SchemaFile } from '../../prisma/schemaDiff.ts';
import { dumpSchema } from '../../prisma/schemaSnapshot.ts';
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
