// `npm start`: runs the service, from a bare clone.
import { setUp } from './setup.mjs';

setUp();
process.setSourceMapsEnabled(true);
await import('../dist/src/main.js');
