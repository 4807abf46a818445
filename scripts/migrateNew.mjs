// `npm run migrate:new`: see prisma/newMigration.ts.
import { root, setUp } from './setup.mjs';

setUp();
process.chdir(root);
await import('../dist/prisma/newMigration.js');
