export { type DurableMiddleware, type DurableOptions, durable } from './durable.ts';
export { durableTools, type ToolPolicies, type ToolPolicy } from './durableTools.ts';
