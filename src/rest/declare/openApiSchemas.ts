import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from './jsonSchema.ts';
import type { Member, ObjectShape, Part, Shape, VariantsShape } from './shape.ts';

const scalars: Readonly<Record<string, JsonSchema>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  Tags: { type: 'object', additionalProperties: { type: 'string' } },
  JSON: {},
};

export class Schemas {
  readonly named: Record<string, JsonSchema> = {};

  /**
   * The schema of a shape. Its fragments become named schemas. Throws if two different schemas
   * share a name.
   */
  of(shape: Shape): JsonSchema {
    const schema = this.#bare(shape);
    return shape.description === undefined ? schema : { ...schema, description: shape.description };
  }

  #bare(shape: Shape): JsonSchema {
    switch (shape.kind) {
      case 'scalar': {
        const schema = scalars[shape.scalar];
        if (!schema) throw new Error(`OpenAPI knows no scalar ${shape.scalar}`);
        return schema;
      }
      case 'word':
        return { type: 'string', enum: [...shape.words.values()] };
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
  #variants({ common, variants }: VariantsShape): JsonSchema {
    const shared = common.map((part) => this.#part(part));
    const single = variants.map((part) => this.#part(part));
    return { allOf: [...shared, { anyOf: [...single, { type: 'object' }] }] };
  }

  #part({ name, members }: Part): JsonSchema {
    const schema = this.#members(members);
    if (name === undefined) return schema;
    const known = this.named[name];
    if (known && !isDeepStrictEqual(known, schema)) throw new Error(`two fragments are named ${name}`);
    this.named[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }

  #members(members: readonly Member[]): JsonSchema {
    const required = members.filter(({ shape }) => !shape.optional).map(({ key }) => key);
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(members.map(({ key, shape }) => [key, this.of(shape)])),
    };
  }
}
