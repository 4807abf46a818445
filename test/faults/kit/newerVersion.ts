import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateDatabase, migrationsDirectory } from '../../../src/engine/db/migrations/migrate.ts';

/** What a newer version may do to the schema while older ones are at work: it only adds. */
const script = `-- Why: as a newer version would.

alter table run add column note text;
alter table run_work add column weight int not null default 0;
alter table run_step add column note text;
create table note (id bigint generated always as identity primary key, run_id uuid not null, text text not null);
create index note_run_id_idx on note (run_id);
`;

/** Migrates a database as a version that is newer than this one does at its start. */
export async function migrateAsNewerVersion(url: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-newer-'));
  try {
    await cp(migrationsDirectory(), directory, { recursive: true });
    const folder = join(directory, '99991231235959_newer');
    await mkdir(folder);
    await writeFile(join(folder, 'migration.sql'), script);
    await migrateDatabase({ url, directory });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
