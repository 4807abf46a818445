import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openApiText, routes } from '../../src/rest/index.ts';
import { printSortedSchema, schema } from '../../src/schema/index.ts';

const committed = (name: string): Promise<string> => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');

describe('generated files', () => {
  it('schema.graphql is what the schema says; otherwise run `npm run codegen`', async () => {
    expect(await committed('schema.graphql')).toBe(printSortedSchema());
  });

  it('openapi.json is what the routes say; otherwise run `npm run codegen`', async () => {
    expect(await committed('openapi.json')).toBe(openApiText(schema, routes));
  });
});
