// `npm run build:console`: builds the web console into `console/dist`, unless it is current.
import { setUp, setUpConsole } from './setup.mjs';

setUp();
setUpConsole();
