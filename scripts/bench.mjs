// `npm run bench`: measurements.
import { setUp } from './setup.mjs';

setUp();
process.setSourceMapsEnabled(true);
await import('../dist/bench/main.js');
