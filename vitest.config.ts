import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longestFirst.ts';

const sdk = (file: string): string => fileURLToPath(new URL(`./sdk/src/${file}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      // Pothos loads graphql's CommonJS build; tests must load the same copy.
      { find: /^graphql$/, replacement: 'graphql/index.js' },
      // Tests run the SDK's sources, so that they need no build.
      { find: /^@holdfast\/sdk\/protocol$/, replacement: sdk('protocol.ts') },
      { find: /^@holdfast\/sdk\/node$/, replacement: sdk('serve/node.ts') },
      { find: /^@holdfast\/sdk$/, replacement: sdk('index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/globalSetup.ts'],
    pool: 'forks',
    // Many tests wait for processes and timers more than they compute.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
});
