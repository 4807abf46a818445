// `npm run migrate:snapshot`: see prisma/writeSnapshot.ts.
import { root, setUp } from './setup.mjs';

setUp();
process.chdir(root);
await import('../dist/prisma/writeSnapshot.js');
