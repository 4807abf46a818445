import { defineConfig } from 'vitest/config';
import { ensureBuilt } from './test/support/build.ts';
import { builtModules } from './test/support/builtModules.ts';
import { LongestFirst } from './test/support/longestFirst.ts';
import { patienceMs } from './test/support/patienceMs.ts';

ensureBuilt();

/**
 * Slow tests: crashes, faults, random programs, models. Each rule of the contract also has a fast
 * test.
 */
const trials = [
  'test/{crash,faults,random}/**/*.test.ts',
  'test/**/*Model.test.ts',
  'test/engine/db/embedded.test.ts',
  // It declares statements, which the snapshot of those of the engine must not hold.
  'test/engine/db/pool/oneTrip.test.ts',
  'test/e2e/flowProcesses.test.ts',
  'test/mcp/{conformance,inspector}/**/*.test.ts',
  'test/rest/schemathesis/*.test.ts',
  'test/examples/pythonRunner.test.ts',
  'test/sdk/package/*.test.ts',
  'test/deploy/image.test.ts',
  'test/console/browser/**/*.test.ts',
];

const shared = {
  plugins: [builtModules],
  // Pothos loads graphql's CommonJS build; tests must load the same copy.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
};

const options = {
  // Files share the modules of their worker. Each has engines and databases of its own.
  isolate: false,
  // Node loads the build, as it does in production.
  server: { deps: { external: [/\/dist\//] } },
  testTimeout: 60_000,
  hookTimeout: 60_000,
  setupFiles: ['test/support/patience.ts'],
  expect: { poll: { timeout: patienceMs } },
};

export default defineConfig({
  ...shared,
  test: {
    projects: [
      {
        ...shared,
        test: { ...options, name: 'fast', include: ['test/**/*.test.ts', 'console/src/**/*.test.ts'], exclude: trials },
      },
      { ...shared, test: { ...options, name: 'trials', include: trials } },
    ],
    globalSetup: ['test/support/globalSetup.ts'],
    pool: 'forks',
    // Many tests mostly wait for processes and timers.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    teardownTimeout: 20_000,
  },
});
