export { hostResolver, type ResolveAll } from './resolveHost.ts';
export { sharedResolver } from './sharedResolver.ts';
export {
  assertAllowedUrl,
  forbiddenTarget,
  guardedLookup,
  type TargetRules,
  withoutQuery,
} from './targetGuard.ts';
