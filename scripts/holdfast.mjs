#!/usr/bin/env node
// `npx holdfast`: the command line tool.
import { setUp } from './setup.mjs';

setUp();
process.setSourceMapsEnabled(true);
await import('../dist/src/cli/main.js');
