export { createSchemaContext, SchemaContext, type SchemaContextParts, type Via } from './context.ts';
export { type ErrorCode, toGraphqlError, unwrap } from './errors.ts';
export {
  executeWithin,
  type Outcome,
  type Prepared,
  prepare,
  run,
  subscribeTo,
  subscribeWithin,
  type Variables,
} from './execute.ts';
export { unlessRefused } from './metered.ts';
export { printSortedSchema, schema } from './schema.ts';
