// `npm run codegen`: writes the files that are generated from declarations: schema.graphql,
// openapi.json, reference pages, and the types of the console's documents.
import { root, setUp } from './setup.mjs';

setUp();
process.chdir(root);
process.setSourceMapsEnabled(true);
await import('../dist/codegen.js');
const { writeConsoleTypes } = await import('../console/codegen.mjs');
await writeConsoleTypes();
