import { isDeepStrictEqual } from 'node:util';
import { type JsonSchema, refTo } from './jsonSchema.ts';
import type { Member, ObjectShape, Part, Shape, VariantsShape } from './shape.ts';

/** The name of the schema of payloads. */
const anyJson = 'Json';

const scalars: Readonly<Record<string, JsonSchema>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  Tags: { type: 'object', additionalProperties: { type: 'string' } },
};

/**
 * The schemas of an OpenAPI document. Enums, interfaces and fragments become named schemas. Throws
 * if two different schemas share a name.
 */
export class Schemas {
  readonly named: Record<string, JsonSchema> = {};
  /** Interfaces whose schema is being made. One within itself selects less, and gets no name. */
  readonly #within = new Set<string>();

  /** The schema of a shape. */
  of(shape: Shape): JsonSchema {
    const schema = this.#bare(shape);
    return shape.description === undefined ? schema : { ...schema, description: shape.description };
  }

  /** Names a schema, and returns a reference to it. */
  name(name: string, schema: JsonSchema): JsonSchema {
    const known = this.named[name];
    if (known && !isDeepStrictEqual(known, schema)) throw new Error(`two schemas are named ${name}`);
    this.named[name] = schema;
    return refTo(name);
  }

  /** The schema of a payload. */
  payload(): JsonSchema {
    return this.name(anyJson, { description: 'Any JSON value. `null` is one, too.' });
  }

  /** The schema of an object with these members. */
  members(members: readonly Member[]): JsonSchema {
    const required = members.filter(({ shape }) => !shape.optional).map(({ key }) => key);
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(members.map(({ key, shape }) => [key, this.of(shape)])),
    };
  }

  #bare(shape: Shape): JsonSchema {
    switch (shape.kind) {
      case 'scalar': {
        if (shape.scalar === 'JSON') return this.payload();
        const schema = scalars[shape.scalar];
        if (!schema) throw new Error(`OpenAPI knows no scalar ${shape.scalar}`);
        return schema;
      }
      case 'word':
        return this.name(shape.name, { type: 'string', enum: [...shape.words.values()] });
      case 'list':
        return { type: 'array', items: this.of(shape.of) };
      case 'object':
        return this.#object(shape);
      case 'variants':
        return this.#variants(shape);
    }
  }

  #object({ parts }: ObjectShape): JsonSchema {
    const schemas = parts.map((part) => this.#part(part));
    const [only] = schemas;
    return schemas.length === 1 && only ? only : { allOf: schemas };
  }

  /** The common fields, and perhaps those of one type. */
  #variants({ name, common, variants }: VariantsShape): JsonSchema {
    const isOuter = !this.#within.has(name);
    this.#within.add(name);
    const shared = common.map((part) => this.#part(part));
    const single = variants.map((part) => this.#part(part));
    const schema: JsonSchema = { allOf: [...shared, { anyOf: [...single, { type: 'object' }] }] };
    if (!isOuter) return schema;
    this.#within.delete(name);
    return this.name(name, schema);
  }

  #part({ name, members }: Part): JsonSchema {
    const schema = this.members(members);
    return name === undefined ? schema : this.name(name, schema);
  }
}
