import { defineConfig } from 'prisma/config';

// `prisma generate` needs no schema engine, but the CLI insists on locating one. Any executable
// satisfies it.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;

export default defineConfig({ schema: 'prisma/schema', migrations: { path: 'prisma/migrations' } });
