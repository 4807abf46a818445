export { type LifecycleKind, lifecycleKinds } from './lifecycleKinds.ts';
export { hasEndpointsSql, isHeardSql, stepChangeSql, tellEndpointsSql } from './sql/tellEndpointsSql.ts';
