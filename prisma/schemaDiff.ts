import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, type ColumnType, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

// The types of Node leave it to those of browsers.
declare const WebAssembly: {
  instantiate(binary: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

/** A folder of Prisma schema files, as the engine takes them. */
export interface SchemaFile {
  path: string;
  content: string;
}

export async function readSchema(directory: string): Promise<SchemaFile[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.prisma')).sort();
  return Promise.all(
    names.map(async (name) => ({
      path: join(directory, name),
      content: await readFile(join(directory, name), 'utf8'),
    })),
  );
}

/**
 * The script that would turn a live database into what the schema declares: empty when it is that
 * already. Objects that the schema language has no words for (partial indexes, checks, storage
 * parameters) are left out of the comparison.
 */
export async function diffSchema(url: string, schema: SchemaFile[]): Promise<string> {
  await loadEngine();
  // One connection, ended with the comparison: Prisma's engine would keep its advisory lock on an
  // idle one.
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    return await withTimeout(runDiff(pool, schema));
  } finally {
    await pool.end();
  }
}

/** PostgreSQL's type numbers. */
const char = 18;
const bpchar = 1042;

/**
 * Prisma's adapter, which does not know the one-letter "char" of the catalogues, with that type
 * added.
 */
class CatalogueAdapter extends PrismaPg {
  #charColumns = new Set<string>();

  constructor(pool: pg.Pool) {
    super(pool);
    pool.on('connect', (client: unknown) => {
      if (!(client instanceof pg.Client)) return;
      client.connection.prependListener('rowDescription', ({ fields }: RowDescription) => {
        this.#charColumns = new Set(fields.filter((field) => field.dataTypeID === char).map((field) => field.name));
        for (const field of fields) if (field.dataTypeID === char) field.dataTypeID = bpchar;
      });
    });
  }

  // The pool has one connection: the columns seen last are those of the answer at hand.
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      const typeOf = (type: ColumnType, index: number): ColumnType =>
        this.#charColumns.has(result.columnNames[index] ?? '') ? ColumnTypeEnum.Character : type;
      return { ...result, columnTypes: result.columnTypes.map(typeOf) };
    };
    return adapter;
  }
}

interface RowDescription {
  fields: { name: string; dataTypeID: number }[];
}

async function runDiff(pool: pg.Pool, files: SchemaFile[]): Promise<string> {
  const adapter = bindMigrationAwareSqlAdapterFactory(new CatalogueAdapter(pool));
  const datamodels = files.map(({ path, content }): [string, string] => [path, content]);
  const engine = await engineModule.SchemaEngine.new({ datamodels }, () => undefined, adapter);
  try {
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: dirname(files[0]?.path ?? '') },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: true,
      filters: { externalTables: [], externalEnums: [] },
    });
    return exitCode === 0 ? '' : (stdout ?? '');
  } finally {
    engine.free();
  }
}

let loading: Promise<void> | undefined;

/**
 * Loads Prisma's schema engine from its WebAssembly build: no native program, nothing downloaded.
 */
function loadEngine(): Promise<void> {
  loading ??= instantiate();
  return loading;
}

async function instantiate(): Promise<void> {
  const path = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const binary = await readFile(join(dirname(path), 'schema_engine_bg.wasm'));
  // What the engine calls when it panics. Without it, the report of a panic would itself throw.
  Reflect.set(globalThis, 'PRISMA_WASM_PANIC_REGISTRY', {
    set_message: (message: string) => console.error(`Prisma's schema engine panicked: ${message}`),
  });
  const { instance } = await WebAssembly.instantiate(binary, {
    './schema_engine_bg.js': Object.fromEntries(Object.entries(engineModule)),
  });
  engineModule.__wbg_set_wasm(instance.exports);
  const start = instance.exports['__wbindgen_start'];
  if (typeof start === 'function') start();
}

/** After a panic the engine's promise never settles. */
async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("Prisma's schema engine did not answer within 60 s")), 60_000);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
