import { type GraphQLEnumType, type GraphQLSchema, isEnumType } from 'graphql';

/**
 * The contract's word for each name: the enum's value if it is a string, else the name in lower
 * case.
 */
export const wordsOf = (type: GraphQLEnumType): Map<string, string> =>
  new Map(
    type.getValues().map(({ name, value }) => {
      const word = typeof value === 'string' && value !== name ? value : name.toLowerCase();
      return [name, word];
    }),
  );

/**
 * A description of the schema in the words of REST: an optional field is absent instead of null,
 * and the values of enums are in small letters. Words in backticks that are no such value stay.
 */
export function inRestWords(schema: GraphQLSchema, description: string): string {
  const words = enumWords(schema);
  return description
    .split(/(`[^`]*`)/)
    .map((part) => {
      if (part.startsWith('`')) return `\`${words.get(part.slice(1, -1)) ?? part.slice(1, -1)}\``;
      return part.replace(/\bNull\b/g, 'Absent').replace(/\bnull\b/g, 'absent');
    })
    .join('');
}

const known = new WeakMap<GraphQLSchema, ReadonlyMap<string, string>>();

/** REST's word for the name of each enum value. */
function enumWords(schema: GraphQLSchema): ReadonlyMap<string, string> {
  const words = known.get(schema) ?? new Map(Object.values(schema.getTypeMap()).flatMap(wordsOfType));
  known.set(schema, words);
  return words;
}

const wordsOfType = (type: unknown): [string, string][] =>
  isEnumType(type) && !type.name.startsWith('__') ? [...wordsOf(type)] : [];
