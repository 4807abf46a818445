import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      nullableMutations: NullableMutations<Types>;
    }
  }
}

export const nullableMutations = 'nullableMutations';

/**
 * Lets every mutation answer null beside its error. What one of an operation did is told even where another fails: a non-null
 * field would take the whole answer with it, and in it what is shown only once.
 */
class NullableMutations<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    return field.kind === 'Mutation' ? { ...field, type: { ...field.type, nullable: true } } : field;
  }
}

SchemaBuilder.registerPlugin(nullableMutations, NullableMutations);
