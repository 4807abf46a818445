// `npm run bench:console`: measures the web console in Chromium.
import { findBrowser } from './findBrowser.mjs';
import { setUp, setUpConsole } from './setup.mjs';

setUp();
setUpConsole();
// As people use it.
const browser = findBrowser({ isWhole: true });
if (browser === undefined) {
  console.error('There is no Chromium. Run npm run setup:browser.');
  process.exit(1);
}
process.env.CHROMIUM_PATH = browser;
process.setSourceMapsEnabled(true);
await import('../dist/bench/console/main.js');
