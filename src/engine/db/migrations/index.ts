export { isMigrated, migrateDatabase } from './migrate.ts';
export { MigrationError } from './migrationError.ts';
