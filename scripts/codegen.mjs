// `npm run codegen`: writes the files that are generated from declarations: schema.graphql,
// openapi.json, reference pages.
import { root, setUp } from './setup.mjs';

setUp();
process.chdir(root);
process.setSourceMapsEnabled(true);
await import('../dist/codegen.js');
