export {
  assertAllowedUrl,
  forbiddenTarget,
  guardedLookup,
  type ResolveAll,
  type TargetRules,
  withoutQuery,
} from './targetGuard.ts';
