// `npm run migrate:new -- <name>`: writes the migration that leads from the present ones to the
// present schema. With `--empty` it writes one for SQL by hand, even where the schema did not
// change.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diffSchema, readSchema } from './schemaDiff.ts';
import { withMigratedDatabase } from './scratchDatabase.ts';

const [name, ...flags] = process.argv.slice(2);
const isEmptyWanted = flags.includes('--empty');

if (!name || !/^[a-z0-9][a-z0-9_]*$/.test(name)) {
  console.error('Name the migration in lower case, with underscores: npm run migrate:new -- add_retention');
  process.exit(1);
}

const schema = await readSchema('prisma/schema');
const script = isEmptyWanted ? '' : await withMigratedDatabase((url) => diffSchema(url, schema));
if (!script && !isEmptyWanted) {
  console.log('The migrations make what prisma/schema declares: nothing to write. (--empty: SQL by hand)');
} else {
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = join('prisma', 'migrations', `${stamp}_${name}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'migration.sql'), `-- Why: \n\n${script}`);
  console.log(`Wrote ${folder}/migration.sql. Say at its top why it is needed; then run npm run migrate:snapshot.`);
  console.log('Processes of the former version must go on with it. Where they cannot: -- Breaks older builds: <why>');
}
