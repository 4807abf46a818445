// `npm run demo`: the demonstration, which needs nothing running.
import { setUp } from './setup.mjs';

setUp();
process.setSourceMapsEnabled(true);
await import('../dist/examples/github/demo.js');
