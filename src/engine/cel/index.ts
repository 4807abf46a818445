export { forEachYielding } from './forEachYielding.ts';
export { compileGuard, type Guard } from './guard.ts';
export { digestOf, valueAtPath } from './matchValue.ts';
