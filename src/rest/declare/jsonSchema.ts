type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';

/** The part of JSON Schema (as in OpenAPI 3.1) that the declarations use. */
export interface JsonSchema {
  $ref?: string;
  type?: JsonType | readonly JsonType[];
  description?: string;
  format?: string;
  pattern?: string;
  enum?: readonly (string | number | null)[];
  const?: string | number;
  default?: string | number | boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  additionalProperties?: JsonSchema | boolean;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  allOf?: readonly JsonSchema[];
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  not?: JsonSchema;
  discriminator?: { propertyName: string; mapping?: Readonly<Record<string, string>> };
}

/** The same schema, with `null` as a further value. A schema without a type has it already. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type = [], enum: words, format } = schema;
  const types = [type].flat();
  if (types.length === 0) return schema;
  // Many tools know a format only beside a single type.
  if (format !== undefined) return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [...types, 'null'], ...(words && { enum: [...words, null] }) };
}

/** A reference to a named schema of OpenAPI. */
export const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
