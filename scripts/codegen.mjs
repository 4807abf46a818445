// `npm run codegen`: writes schema.graphql and openapi.json.
import { setUp } from './setup.mjs';

setUp();
process.setSourceMapsEnabled(true);
await import('../dist/codegen.js');
