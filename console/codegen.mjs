// Writes the types of the console's GraphQL documents from `schema.graphql`. It drives the core of
// graphql-codegen: its CLI needs a newer Node, and brings 150 packages.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import { buildSchema, parse, validate } from 'graphql';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = join(root, 'console/src');
const output = 'console/src/data/generated/';

const config = {
  documentMode: 'string',
  useTypeImports: true,
  importExtension: '.ts',
  emitLegacyCommonJSImports: false,
  inlineFragmentTypes: 'combine',
  scalars: { DateTime: 'string', JSON: 'unknown', Tags: 'Readonly<Record<string, string>>' },
};

/** The files with the types of all documents: their texts by their paths in the project. */
export async function consoleTypes() {
  const schemaText = readFileSync(join(root, 'schema.graphql'), 'utf8');
  const schemaAst = buildSchema(schemaText);
  const parts = await preset.buildGeneratesSection({
    baseOutputDir: output,
    config,
    presetConfig: { fragmentMasking: false },
    schema: parse(schemaText),
    schemaAst,
    documents: findDocuments(schemaAst),
    plugins: [],
    pluginMap: {},
    documentTransforms: [],
  });
  const files = parts.map(async (part) => [
    part.filename,
    await codegen({ ...part, schemaAst, importExtension: '.ts' }),
  ]);
  return Object.fromEntries(await Promise.all(files));
}

/** The documents in calls of `graphql` in the sources. Throws if one does not fit the schema. */
function findDocuments(schema) {
  const files = readdirSync(sources, { recursive: true })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith(relative(sources, join(root, output))))
    .sort()
    .map((name) => join(sources, name));
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bgraphql\(`([^`]*)`\)/g)].map(([, rawSDL]) => {
      const document = parse(rawSDL);
      const [error] = validate(schema, document);
      if (error) throw new Error(`${relative(root, file)}: ${error.message}`);
      return { location: relative(root, file), rawSDL, document };
    }),
  );
}

/** Writes the files, and answers the paths of those that changed. */
export async function writeConsoleTypes() {
  const changed = [];
  for (const [name, text] of Object.entries(await consoleTypes())) {
    const file = join(root, name);
    const isCurrent = existsSync(file) && readFileSync(file, 'utf8') === text;
    if (!isCurrent) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      changed.push(name);
    }
    console.log(`${name}: ${isCurrent ? 'up to date' : 'written'}`);
  }
  return changed;
}
