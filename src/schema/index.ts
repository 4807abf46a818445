export {
  executeWithin,
  type Outcome,
  type PreparedDocument,
  prepare,
  run,
  subscribeTo,
  subscribeWithin,
  type Variables,
} from './execute.ts';
export { createSchemaContext, SchemaContext, type SchemaContextParts, type Via } from './machinery/context.ts';
export { type ErrorCode, errorCodes, toGraphqlError, unwrap } from './machinery/errors.ts';
export { unlessRefused } from './machinery/metered.ts';
export { cursorBefore } from './resources/stepPage.ts';
export { printSortedSchema, schema } from './schema.ts';
