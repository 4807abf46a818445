import { defineConfig } from 'vitest/config';
import { ensureBuilt } from './test/support/build.ts';
import { builtModules } from './test/support/builtModules.ts';
import { LongestFirst } from './test/support/longestFirst.ts';

ensureBuilt();

export default defineConfig({
  plugins: [builtModules],
  // Pothos loads graphql's CommonJS build; tests must load the same copy.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/globalSetup.ts'],
    pool: 'forks',
    // Files share the modules of their worker. Each has engines and databases of its own.
    isolate: false,
    // Node loads what is built, as it does in production.
    server: { deps: { external: [/\/dist\//] } },
    // Many tests wait for processes and timers more than they compute.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
});
