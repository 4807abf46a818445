export { callModel, type ModelCall } from './callModel.ts';
export { Connections } from './connections.ts';
export type { CallLimits } from './limits.ts';
export { type ProviderAccess, type Route, routeOf, type Wire } from './route.ts';
