import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The names of Chromium and its kin on the path, Debian's first. */
const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Where installers put it outside of the path. */
const places = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The browser of the tests: CHROMIUM_PATH, else a usual place. Undefined if there is none. */
export function findBrowser(env = process.env) {
  const given = env.CHROMIUM_PATH;
  if (given) return isProgram(given) ? given : undefined;
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...onPath, ...names.map((name) => join('/usr/bin', name)), ...places].find(isProgram);
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
