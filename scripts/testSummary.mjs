// Prints `N passed, N failed` from vitest's JSON report, and `, N skipped` if any were skipped. A
// file that failed to load counts as a failure, and so does a missing report. The exit code is then
// 1.
import { readFileSync } from 'node:fs';

function count(file) {
  const { numPassedTests, numFailedTests, numPendingTests, testResults, success } = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  const isBroken = ({ status, assertionResults }) =>
    status === 'failed' && !assertionResults.some((each) => each.status === 'failed');
  const failed = numFailedTests + testResults.filter(isBroken).length;
  return { passed: numPassedTests, failed: success ? failed : Math.max(failed, 1), skipped: numPendingTests };
}

function tryCount(file) {
  try {
    return count(file);
  } catch (error) {
    console.error(`no test report: ${error.message}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

const { passed, failed, skipped } = tryCount(process.argv[2]);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;
