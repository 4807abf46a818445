// `npm run codegen`: writes what is generated from declarations: schema.graphql, openapi.json,
// pages of the reference.
import { root, setUp } from './setup.mjs';

setUp();
process.chdir(root);
process.setSourceMapsEnabled(true);
await import('../dist/codegen.js');
