export { assertAllowedUrl, forbiddenTarget, guardedLookup, type TargetRules } from './targetGuard.ts';
