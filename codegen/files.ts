import { openApiText, routes } from '../src/rest/index.ts';
import { printSortedSchema, schema } from '../src/schema/index.ts';
import { metricsText } from './metrics.ts';
import { runStatesText } from './runStates.ts';
import { statementsText } from './statements.ts';

/** The generated files: a function that writes the text, by the path in the project. */
export const generatedFiles: Readonly<Record<string, () => string>> = {
  'schema.graphql': printSortedSchema,
  'openapi.json': () => openApiText(schema, routes),
  'docs/reference/metrics.md': metricsText,
  'docs/reference/run-states.md': runStatesText,
  'prisma/statements.snapshot.sql': statementsText,
};
