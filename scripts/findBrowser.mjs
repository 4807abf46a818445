import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The program of Chromium that draws pages, and no windows around them. A page takes less than half
 * of the time of a processor that it takes in a whole browser.
 */
export const shell = 'chromium-headless-shell';

/** The names of Chromium and its kin on the path, Debian's first. */
const names = [shell, 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Where installers put it outside of the path. */
const places = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/**
 * The browser of the tests: CHROMIUM_PATH, else a usual place. Undefined if there is none. A whole
 * one on demand.
 */
export function findBrowser({ env = process.env, isWhole = false } = {}) {
  const given = env.CHROMIUM_PATH;
  if (given) return isProgram(given) ? given : undefined;
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  const wanted = names.filter((name) => !isWhole || name !== shell);
  const onPath = wanted.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...onPath, ...wanted.map((name) => join('/usr/bin', name)), ...places].find(isProgram);
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
