// `npm run demo`: the demonstration. Starts the service if none is running.
import { setUp } from './setup.mjs';

setUp();
process.setSourceMapsEnabled(true);
await import('../dist/examples/github/demo.js');
