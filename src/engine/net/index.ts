export { isPublicAddress } from './addresses.ts';
export { assertAllowedUrl, forbiddenTarget, guardedLookup, type TargetRules } from './targetGuard.ts';
