// `npm run screenshots`: visits each page of the console in Chromium, in both themes and widths,
// and writes its picture into `console/screenshots`. The pages are also checked, as in the tests.
// `npm run screenshots -- compare runs` writes only the pages whose names begin so.
import { join } from 'node:path';
import { runProgram } from './run.mjs';
import { root } from './setup.mjs';

process.env.SCREENSHOTS = process.argv.slice(2).join(',') || 'on';
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const files = [
  'pages',
  'workPages',
  'approvals',
  'flow',
  'jsonForms',
  'operator',
  'runners',
  'simulation',
  'spend',
  'webhooks',
  'workflowPage',
];
const paths = files.map((name) => `test/console/browser/${name}.test.ts`);
runProgram(process.execPath, [vitest, 'run', '--project=trials', ...paths]);
