export { assertAllowedUrl, forbiddenTarget, guardedLookup, type TargetRules, withoutQuery } from './targetGuard.ts';
