import SchemaBuilder, {
  BasePlugin,
  createInputValueMapper,
  mapInputFields,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  type SchemaTypes,
  unwrapInputFieldType,
} from '@pothos/core';
import { canonicalId } from '../../engine/ids.ts';

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      canonicalIds: CanonicalIds<Types>;
    }
  }
}

export const canonicalIds = 'canonicalIds';

/** Writes every argument of type `ID`, at any depth of inputs, as ids are stored and compared. */
class CanonicalIds<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const ids = mapInputFields(field.args, this.buildCache, (input) => (this.#isId(input) ? true : null));
    if (!ids) return field;
    const canonical = createInputValueMapper(ids, (value) => canonicalId(String(value)));
    return { ...field, argMappers: [...field.argMappers, (args) => canonical(args)] };
  }

  #isId({ type }: PothosInputFieldConfig<Types>): boolean {
    return this.buildCache.getTypeConfig(unwrapInputFieldType(type)).name === 'ID';
  }
}

SchemaBuilder.registerPlugin(canonicalIds, CanonicalIds);
