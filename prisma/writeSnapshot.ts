// `npm run migrate:snapshot`: writes what the migrations make, for reviews and for the test that
// compares it.
import { writeFile } from 'node:fs/promises';
import pg from 'pg';
import { dumpSchema } from './schemaSnapshot.ts';
import { withMigratedDatabase } from './scratchDatabase.ts';

const file = 'prisma/schema.snapshot.sql';

const snapshot = await withMigratedDatabase(async (url) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await dumpSchema(client);
  } finally {
    await client.end();
  }
});
await writeFile(file, snapshot);
console.log(`wrote ${file}`);
