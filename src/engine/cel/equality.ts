import type { ASTNode } from '@marcbachmann/cel-js';
import { hasUnsupportedCharacter } from '../json/index.ts';

/** The condition that a path of the payload equals a value. */
export interface Equality {
  /** Keys joined by dots, below `data`. */
  path: string;
  value: string | number | boolean;
}

/**
 * An equality between a path of the payload and a literal, without which the guard cannot be true.
 * So it is a side of an `&&` at the top level. An error in such a side never becomes true either.
 * Undefined if an index can use none.
 */
export function necessaryEquality(guard: ASTNode): Equality | undefined {
  let weak: Equality | undefined;
  for (const term of conjuncts(guard)) {
    if (term.op !== '==') continue;
    const [left, right] = term.args;
    const found = equalityOf(left, right) ?? equalityOf(right, left);
    // A boolean excludes few events, so prefer another value.
    if (found && typeof found.value !== 'boolean') return found;
    weak ??= found;
  }
  return weak;
}

function* conjuncts(node: ASTNode): Iterable<ASTNode> {
  if (node.op !== '&&') {
    yield node;
    return;
  }
  for (const side of node.args) yield* conjuncts(side);
}

function equalityOf(pathSide: ASTNode, valueSide: ASTNode): Equality | undefined {
  const path = payloadPath(pathSide);
  const value = literal(valueSide);
  return path && value !== undefined ? { path: path.join('.'), value } : undefined;
}

/**
 * The keys below `data` or `event.data`. Undefined for anything else, and for keys that a dotted
 * path or a column cannot express.
 */
function payloadPath(node: ASTNode): string[] | undefined {
  const keys = keysFrom(node);
  if (!keys) return undefined;
  const [root, ...rest] = keys;
  const below = root === 'data' ? rest : root === 'event' && rest[0] === 'data' ? rest.slice(1) : [];
  return below.length > 0 && below.every(isSegment) ? below : undefined;
}

const isSegment = (key: string): boolean => key !== '' && !key.includes('.') && !hasUnsupportedCharacter(key);

function keysFrom(node: ASTNode): string[] | undefined {
  if (node.op === 'id') return [node.args];
  if (node.op === '.') return append(keysFrom(node.args[0]), node.args[1]);
  if (node.op !== '[]') return undefined;
  const [container, key] = node.args;
  return key.op === 'value' && typeof key.args === 'string' ? append(keysFrom(container), key.args) : undefined;
}

const append = (keys: string[] | undefined, key: string): string[] | undefined => (keys ? [...keys, key] : undefined);

function literal(node: ASTNode): string | number | boolean | undefined {
  if (node.op === '-_') {
    const value = literal(node.args);
    return typeof value === 'number' ? -value : undefined;
  }
  if (node.op !== 'value') return undefined;
  const value = node.args;
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}
