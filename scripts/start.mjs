// `npm start`: runs the service, from a bare clone.
import { setUp, setUpConsole } from './setup.mjs';

setUp();
if (process.env.CONSOLE !== 'off') setUpConsole();
process.setSourceMapsEnabled(true);
await import('../dist/src/main.js');
