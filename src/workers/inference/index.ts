export { type CallerSetup, ModelCaller } from './modelCaller.ts';
export { type CallerOptions, defaultOptions as callerDefaults } from './options.ts';
