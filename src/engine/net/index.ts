export { assertAllowedUrl, forbiddenTarget, guardedLookup, isPublicAddress, type TargetRules } from './targetGuard.ts';
