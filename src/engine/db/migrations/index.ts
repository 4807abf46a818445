export { isMigrated, migrateDatabase } from './migrate.ts';
export { MigrationError } from './migrationFiles.ts';
