// `npm run codegen`: writes schema.graphql and openapi.json.
import { root, setUp } from './setup.mjs';

setUp();
process.chdir(root);
process.setSourceMapsEnabled(true);
await import('../dist/codegen.js');
