export { type LifecycleKind, lifecycleKinds } from './lifecycleKinds.ts';
export { hasEndpointsSql, stepChangeSql, tellEndpointsSql } from './sql/tellEndpointsSql.ts';
