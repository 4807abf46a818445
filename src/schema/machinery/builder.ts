import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import type { RawJson } from '../../engine/json/index.ts';
import { requireOperator, requireProject, requireWrite } from '../../engine/keys/index.ts';
import type PrismaTypes from '../../generated/pothos.ts';
import { getDatamodel } from '../../generated/pothos.ts';
import { canonicalIds } from './canonicalIds.ts';
import type { SchemaContext } from './context.ts';

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      nullableMutations: NullableMutations<Types>;
    }
  }
}

const nullableMutations = 'nullableMutations';

/**
 * Makes the field of every mutation nullable. An operation with several mutations then answers the
 * results of the others if one fails. A non-null field would discard them, and with them a new key,
 * which is shown only once.
 */
class NullableMutations<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    return field.kind === 'Mutation' ? { ...field, type: { ...field.type, nullable: true } } : field;
  }
}

SchemaBuilder.registerPlugin(nullableMutations, NullableMutations);

interface Types {
  Context: SchemaContext;
  PrismaTypes: PrismaTypes;
  /** Rights that a field may demand (5, 11). The caller needs all that are named. */
  AuthScopes: { project: boolean; write: boolean; operator: boolean };
  DefaultAuthStrategy: 'all';
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    JSON: { Input: RawJson; Output: unknown };
    DateTime: { Input: Date; Output: Date };
    Tags: { Input: unknown; Output: unknown };
  };
}

export const builder = new SchemaBuilder<Types>({
  plugins: [ScopeAuthPlugin, PrismaPlugin, RelayPlugin, canonicalIds, nullableMutations],
  defaultFieldNullability: false,
  prisma: { client: (context) => context.engine.db.prisma, dmmf: getDatamodel() },
  relay: { nodesOnConnection: true, cursorType: 'String', nodeQueryOptions: false, nodesQueryOptions: false },
  scopeAuth: {
    authorizeOnSubscribe: true,
    defaultStrategy: 'all',
    // The engine decides; the caller sees the errors that it throws.
    authScopes: ({ principal }) => ({
      project: () => requireProject(principal) !== '',
      write: () => {
        requireWrite(principal);
        return true;
      },
      operator: () => {
        requireOperator(principal);
        return true;
      },
    }),
  },
});

// 5: any key of a project reads; only a full-access key writes. Fields for operators declare that
// themselves.
builder.queryType({ authScopes: { project: true } });
builder.mutationType({ authScopes: { write: true, project: true } });
builder.subscriptionType({ authScopes: { project: true } });
