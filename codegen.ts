// Writes the committed files that are generated from the declarations. Run by `npm run codegen`.
import { readFile, writeFile } from 'node:fs/promises';
import { openApiText, routes } from './src/rest/index.ts';
import { printSortedSchema, schema } from './src/schema/index.ts';

const files = { 'schema.graphql': printSortedSchema(), 'openapi.json': openApiText(schema, routes) };

for (const [name, text] of Object.entries(files)) {
  const committed = await readFile(name, 'utf8').catch(() => undefined);
  if (committed !== text) await writeFile(name, text);
  console.log(`${name}: ${committed === text ? 'up to date' : 'written'}`);
}
